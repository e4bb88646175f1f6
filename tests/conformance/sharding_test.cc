// Every sharding rule holds: an op split along any factor, in two unequal parts, gives the parts of the whole
// (parallel), or parts that add up to it (reduce).
#include <gtest/gtest.h>

#include "ir/core/rows.h"
#include "runtime/verify/expected.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

int64_t size_of_factor(const Factor& f, const std::vector<HostTensor>& in) {
  for (size_t i = 0; i < in.size(); ++i)
    if (f.operands[i] != kAbsent) return in[i].type().shape[size_t(f.operands[i])];
  return 0;
}

class ShardingRuleTest : public ::testing::TestWithParam<const OpInfo*> {
 protected:
  int checked = 0;

  void check(const OpInfo& op, const Case& c, uint64_t seed) {
    const std::vector<HostTensor> in = draw(c, seed);
    auto whole = run_reference(op, c, in);
    ASSERT_TRUE(whole.ok()) << whole.error().text();
    Types types;
    for (const HostTensor& t : in) types.push_back(t.type());
    auto flat = FlatAttrs::pack(op.schema, c.attributes);
    if (op.positional)
      for (const Factor& f : op.shard(flat->data(), types).factors)
        ASSERT_EQ(f.results[0], 0) << "first_element can say where rows begin, and nothing else";
    for (const Factor& f : op.shard(flat->data(), types).factors) {
      ASSERT_EQ(f.operands.size(), in.size());
      ASSERT_EQ(f.results.size(), whole->size());
      const int64_t n = size_of_factor(f, in);
      if (f.kind == Factor::Kind::kWindow || n < 2 || (f.kind == Factor::Kind::kReduce && !op.sums)) continue;
      const int64_t first = (2 * n + 2) / 3, sizes[] = {first == n ? n - 1 : first, n - (first == n ? n - 1 : first)};
      std::vector<std::vector<HostTensor>> parts;
      for (int p = 0; p < 2; ++p) {
        std::vector<HostTensor> mine = in;
        for (size_t i = 0; i < in.size(); ++i)
          if (f.operands[i] != kAbsent) mine[i] = rows_of(in[i], f.operands[i], p ? sizes[0] : 0, sizes[p]);
        Case shard = c;
        if (op.positional && p == 1)
          for (auto& [name, value] : shard.attributes)
            if (name == "first_element") std::get<int64_t>(value) += sizes[0] * ((*whole)[0].elements() / n);
        auto got = run_reference(op, shard, mine);
        if (!got.ok() && op.view) return;  // a shape written down as numbers
        ASSERT_TRUE(got.ok()) << c.name << ": " << got.error().text();
        parts.push_back(*std::move(got));
      }
      ++checked;
      Case bound = c;
      bound.relative = std::max(c.relative, 1e-6), bound.absolute = std::max(c.absolute, 1e-6);
      for (size_t r = 0; r < whole->size(); ++r) {
        const HostTensor& want = (*whole)[r];
        HostTensor joined(want.type());
        if (f.results[r] == kAbsent) {
          for (int64_t i = 0; i < want.type().elements(); ++i)
            (void)dispatch_all(want.type().dtype, [&]<class T>(T) {
              joined.as<T>()[i] = static_cast<T>(parts[0][r].as<T>()[i] + parts[1][r].as<T>()[i]);
            });
        } else {
          const int axis = f.results[r];
          ASSERT_EQ(parts[0][r].type().shape[size_t(axis)], sizes[0]) << c.name;
          for (int p = 0; p < 2; ++p)
            copy_rows(blocks_of(want.type().shape, axis), size_of(want.type().dtype), parts[size_t(p)][r].data(),
                      sizes[p], 0, joined.data(), n, p ? sizes[0] : 0, sizes[p]);
        }
        EXPECT_EQ(compare({joined}, {want}, bound), "") << c.name << ", factor of size " << n;
      }
    }
  }
};

TEST_P(ShardingRuleTest, PartsMakeTheWhole) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  for (const Case& c : cases.fixed) check(op, c, 1);
  PhiloxSequence random(5, 6);
  for (int i = 0; i < 20; ++i) check(op, cases.random(random), static_cast<uint64_t>(i) + 2);
}

std::vector<const OpInfo*> with_rules() {
  std::vector<const OpInfo*> ops;
  for (const OpInfo* op : all_ops()) ops.push_back(op);
  return ops;
}
INSTANTIATE_TEST_SUITE_P(Ops, ShardingRuleTest, ::testing::ValuesIn(with_rules()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace cutset::testing
