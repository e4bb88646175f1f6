// SPDX-License-Identifier: Apache-2.0
// Tests the sharding rule of every op. The factors equal the rule that the cases of the op state, or a
// definition for elementwise ops and optimizers. If the operands are split along a factor into two unequal
// shards, each result consists of the shards of the whole result, or of partial sums that add up to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ir/core/rows.h"
#include "ir/ops/elementwise/elementwise_bodies.h"
#include "runtime/program/variable_pieces.h"
#include "runtime/verify/expected.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

// Returns a rule in the form of ExpectedSharding::rule.
std::string text_of(const ShardingRule& rule) {
  std::string text;
  auto add = [&](const std::vector<int>& dimensions, const std::vector<int64_t>& units) {
    for (size_t i = 0; i < dimensions.size(); ++i) {
      const int d = dimensions[i];
      text += d == kAbsent ? " -" : d == kPartial ? " +" : " " + std::to_string(d);
      if (!units.empty() && units[i] != 1) text += "/" + std::to_string(units[i]);
    }
  };
  for (const Factor& f : rule.factors) {
    if (!text.empty()) text += ";";
    if (f.window) text += " window";
    add(f.operands, f.operand_units);
    text += " >";
    add(f.results, f.result_units);
    if (f.first_step) text += std::string(" at ") + f.first_step + " of " + f.all_steps;
  }
  return text.empty() ? text : text.substr(1);
}

// Returns the rule of an optimizer that computes each element of the variable separately. Each dimension of
// the variable is a factor of the variable, of the gradient, of the states with the shape of the variable,
// and of their new values.
std::string update_rule_text(const Types& operands, int updates, const std::vector<VariableState>& states) {
  std::string text;
  const Shape& shape = operands[0].shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::string replaced = " " + std::to_string(d);
    for (const VariableState& s : states) replaced += s.type.shape == shape ? " " + std::to_string(d) : " -";
    text += (d ? ";" : "") + replaced + " " + std::to_string(d);  // the gradient follows the states
    for (size_t i = static_cast<size_t>(updates) + 1; i < operands.size(); ++i) text += " -";
    text += " >" + replaced;
  }
  return text.empty() ? text : text.substr(1);
}

// Returns the rule of an elementwise op, by the definition of broadcasting: operands are aligned at their
// last dimension, and a dimension of size 1 is repeated.
std::string broadcast_rule(const Types& operands, const Shape& result) {
  std::string text;
  for (size_t d = 0; d < result.size(); ++d) {
    text += d ? ";" : "";
    for (const TensorType& operand : operands) {
      const size_t missing = result.size() - operand.shape.size();
      const bool repeats = d < missing || (operand.shape[d - missing] == 1 && result[d] != 1);
      text += repeats ? " -" : " " + std::to_string(d - missing);
    }
    text += " > " + std::to_string(d);
  }
  return text.empty() ? text : text.substr(1);
}

constexpr char kAddRule[] = "the cases of an op that is not elementwise state its rule: sharded(cases, ...)";

bool is_elementwise(const OpInfo& op) {
  return std::ranges::any_of(elementwise_bodies(),
                             [&](const ElementwiseBody& body) { return std::string(body.op) == op.name; });
}

// Returns the number of steps of the factor.
int64_t size_of_factor(const Factor& f, const std::vector<HostTensor>& in) {
  for (size_t i = 0; i < in.size(); ++i)
    if (f.operands[i] != kAbsent) return in[i].type().shape[size_t(f.operands[i])] / f.operand_unit(i);
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
    if (op.positional) {
      for (const Factor& f : op.shard(flat->data(), types).factors)
        ASSERT_EQ(f.results[0], 0)
            << "the attribute first_element can only describe a split along dimension 0";
    }
    for (const Factor& f : op.shard(flat->data(), types).factors) {
      ASSERT_EQ(f.operands.size(), in.size());
      ASSERT_EQ(f.results.size(), whole->size());
      const int64_t n = size_of_factor(f, in);
      if (f.window || n < 2) continue;
      const int64_t first = (2 * n + 2) / 3,
                    sizes[] = {first == n ? n - 1 : first, n - (first == n ? n - 1 : first)};
      std::vector<std::vector<HostTensor>> parts;
      for (int p = 0; p < 2; ++p) {
        std::vector<HostTensor> mine = in;
        for (size_t i = 0; i < in.size(); ++i)
          if (const int64_t unit = f.operand_unit(i); f.operands[i] != kAbsent)
            mine[i] = rows_of(in[i], f.operands[i], p ? sizes[0] * unit : 0, sizes[p] * unit);
        Case shard = c;
        if (op.positional && p == 1)
          for (auto& [name, value] : shard.attributes)
            if (name == "first_element") std::get<int64_t>(value) += sizes[0] * ((*whole)[0].elements() / n);
        set_position(f, p ? sizes[0] : 0, n, shard.attributes);
        for (auto& [name, value] : shard.attributes)  // as the passes `split` and `shard` set it
          if (auto* shape = std::get_if<IntList>(&value); name == "shape" && f.results[0] >= 0)
            if (int64_t& size = shape->at(size_t(f.results[0])); size > 0) size = sizes[p] * f.result_unit(0);
        auto got = run_reference(op, shard, mine);
        ASSERT_TRUE(got.ok()) << c.name << ": " << got.error().text();
        parts.push_back(*std::move(got));
      }
      if (parts.size() < 2) continue;
      ++checked;
      Case bound = c;
      bound.relative = std::max(c.relative, 1e-6);
      bound.absolute = std::max(c.absolute, 1e-6);
      for (size_t r = 0; r < whole->size(); ++r) {
        const HostTensor& want = (*whole)[r];
        HostTensor joined(want.type());
        if (f.results[r] == kPartial) {
          for (int64_t i = 0; i < want.type().elements(); ++i)
            ASSERT_TRUE(dispatch_all(want.type().dtype, [&]<class T>(T) {
                          joined.as<T>()[i] = static_cast<T>(parts[0][r].as<T>()[i] + parts[1][r].as<T>()[i]);
                        }).ok());
        } else if (f.results[r] == kAbsent) {
          EXPECT_EQ(parts[0][r], parts[1][r]) << c.name << ": all shards compute the same";
          joined = parts[0][r];
        } else {
          const int axis = f.results[r];
          const int64_t unit = f.result_unit(r);
          ASSERT_EQ(parts[0][r].type().shape[size_t(axis)], sizes[0] * unit) << c.name;
          for (int p = 0; p < 2; ++p)
            copy_rows(blocks_of(want.type().shape, axis), size_of(want.type().dtype),
                      parts[size_t(p)][r].data(), sizes[p] * unit, 0, joined.data(), n * unit,
                      p ? sizes[0] * unit : 0, sizes[p] * unit);
        }
        EXPECT_EQ(compare({joined}, {want}, bound), "") << c.name << ", factor of size " << n;
      }
    }
  }
};

TEST_P(ShardingRuleTest, ShardsGiveTheWholeResult) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  for (const Case& c : cases.fixed) check(op, c, 1);
  PhiloxSequence random(5, 6);
  for (int i = 0; i < 20; ++i) check(op, cases.random(random), static_cast<uint64_t>(i) + 2);
  const bool states_rule = cases.sharding.rule != nullptr;
  ASSERT_TRUE(states_rule != is_elementwise(op) || op.states) << kAddRule;
  const std::string text = states_rule ? cases.sharding.rule : "by definition";
  if (!text.empty() && !text.starts_with("window")) {
    EXPECT_GT(checked, 0) << "no case has a factor that can be split";
  }
}

TEST_P(ShardingRuleTest, EqualsTheListedRule) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  if (is_elementwise(op)) {
    for (const Case& c : cases.fixed) {
      Types in;
      for (const Operand& o : c.operands) in.push_back(o.type);
      const auto flat = FlatAttrs::pack(op.schema, c.attributes);
      const auto results = op.infer(flat->data(), in);
      ASSERT_TRUE(results.ok()) << c.name;
      EXPECT_EQ(text_of(op.shard(flat->data(), in)), broadcast_rule(in, results->front().shape)) << c.name;
    }
    return;
  }
  if (op.states && !cases.sharding.rule) {
    for (const Case& c : cases.fixed) {
      Types in;
      for (const Operand& o : c.operands) in.push_back(o.type);
      const auto flat = FlatAttrs::pack(op.schema, c.attributes);
      EXPECT_EQ(text_of(op.shard(flat->data(), in)),
                update_rule_text(in, op.updates, op.states(flat->data(), in[0])))
          << c.name;
    }
    return;
  }
  const ExpectedSharding expected = cases.sharding;
  ASSERT_NE(expected.rule, nullptr) << kAddRule;
  const auto c = std::find_if(cases.fixed.begin(), cases.fixed.end(),
                              [&](const Case& c) { return c.name == expected.on_case; });
  ASSERT_NE(c, cases.fixed.end()) << "there is no case '" << expected.on_case << "'";
  Types in;
  for (const Operand& o : c->operands) in.push_back(o.type);
  EXPECT_EQ(text_of(op.shard(FlatAttrs::pack(op.schema, c->attributes)->data(), in)), expected.rule);
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
