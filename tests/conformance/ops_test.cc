// Every op's cases on every backend that is here, against the reference loop; special values; in-place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

struct OpOnDevice {
  const OpInfo* op;
  std::string kind;
};
std::vector<OpOnDevice> combinations() {
  std::vector<OpOnDevice> list;
  for (const std::string& kind : kinds_here())
    for (const OpInfo* op : all_ops()) list.push_back({op, kind});
  return list;
}

std::unique_ptr<OpenDevice> open(const std::string& kind) {
  auto described = describe_devices({.devices = kind + ":0"});
  EXPECT_TRUE(described.ok());
  return *OpenDevice::open((*described)[0]);
}

class OpTest : public ::testing::TestWithParam<OpOnDevice> {};

TEST_P(OpTest, CasesMatchTheReference) {
  const OpInfo& op = *GetParam().op;
  // A view has no kernel anywhere; a count is known when a program is lowered.
  if (op.view || std::string(op.name) == "count") return;
  auto device = open(GetParam().kind);
  const OpCases cases = op.cases();
  std::vector<Case> all = cases.fixed;
  ASSERT_FALSE(all.empty());
  ASSERT_NE(cases.random, nullptr);
  PhiloxSequence random(5);
  for (int i = 0; i < 20; ++i) all.push_back(cases.random(random));
  for (size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    SCOPED_TRACE(std::string(op.name) + ", case '" + c.name + "' (" + std::to_string(i) + ")");
    const auto in = draw(c, i);
    auto want = run_reference(op, c, in);
    ASSERT_TRUE(want.ok()) << want.error().text();
    std::string kernel;
    auto got = run_on(*device, op, c, in, &kernel);
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(compare(*got, *want, c), "") << kernel;
    auto again = run_on(*device, op, c, in, &kernel);
    ASSERT_TRUE(again.ok());
    for (size_t r = 0; r < got->size(); ++r) EXPECT_EQ((*got)[r], (*again)[r]) << "two runs differ: " << kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpTest, ::testing::ValuesIn(combinations()),
                         [](const auto& info) { return info.param.kind + "_" + info.param.op->name; });

// Conformance runs on what is here; what is not is said here.
class KindTest : public ::testing::TestWithParam<const char*> {};
TEST_P(KindTest, IsHere) {
  for (const BackendReport& r : report_backends())
    if (r.kind == GetParam() && !r.missing.empty()) GTEST_SKIP() << r.kind << ": " << r.missing;
}
INSTANTIATE_TEST_SUITE_P(All, KindTest, ::testing::Values("cpu", "opencl", "reference", "sim"),
                         [](const auto& info) { return std::string(info.param); });

// NaN must reach the loss, where it stops the step: no kernel may drop it.
TEST(SpecialValues, NanSurvivesOnEveryDevice) {
  const double nan = std::nan("");
  for (const std::string& kind : kinds_here()) {
    auto device = open(kind);
    for (const char* name : {"relu", "tanh", "sigmoid", "exp", "max", "min", "reduce_max", "reduce_sum", "max_pool2d",
                             "matmul", "conv2d", "softmax_cross_entropy"}) {
      const OpInfo& op = *find_op(name);
      Case c = op.cases().fixed[0];
      auto in = draw(c, 1);
      if (op.operands.size() == 1 && c.operands[0].type.rank() == 0) c = op.cases().fixed[1], in = draw(c, 1);
      for (int64_t i = 0; i < in[0].type().elements(); ++i) in[0].as<float>()[i] = static_cast<float>(nan);
      std::string kernel;
      auto got = run_on(*device, op, c, in, &kernel);
      ASSERT_TRUE(got.ok()) << got.error().text();
      EXPECT_TRUE(std::isnan((*got)[0].at(0))) << name << " by " << kernel << " on " << kind;
    }
  }
}

TEST(SpecialValues, LabelOutsideTheClassesIsNan) {
  for (const std::string& kind : kinds_here()) {
    auto device = open(kind);
    const OpInfo& op = *find_op("softmax_cross_entropy");
    const Case c = op.cases().fixed[0];
    auto in = draw(c, 1);
    in[1].as<int32_t>()[3] = 10;
    std::string kernel;
    auto got = run_on(*device, op, c, in, &kernel);
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_TRUE(std::isnan((*got)[0].at(3))) << kind;
    EXPECT_FALSE(std::isnan((*got)[0].at(2))) << kind;
  }
}

// Numbers of Random123's own known-answer file (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, KnownAnswers) {
  EXPECT_THAT(philox(0, 0, 0), ::testing::ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(philox(~0ull, ~0ull, ~0ull), ::testing::ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
}

// A split by the sharding rule computes the same: parallel factors by parts side by side, reduce factors by
// the sum of the parts. Checked on the reference loops, without a compiler.
class RuleTest : public ::testing::TestWithParam<const OpInfo*> {};

TEST_P(RuleTest, FactorsAreConsistent) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  for (const Case& c : cases.fixed) {
    SCOPED_TRACE(c.name);
    Types in;
    for (const Operand& o : c.operands) in.push_back(o.type);
    auto attributes = FlatAttrs::pack(op.schema, c.attributes);
    ASSERT_TRUE(attributes.ok());
    auto out = op.infer(attributes->data(), in);
    ASSERT_TRUE(out.ok()) << out.error().text();
    const ShardingRule rule = op.shard(attributes->data(), in);
    for (const Factor& f : rule.factors) {
      ASSERT_EQ(f.operands.size(), in.size());
      ASSERT_EQ(f.results.size(), out->size());
      int64_t size = -1;
      auto visit = [&](int d, const TensorType& t) {
        if (d == kAbsent) return;
        ASSERT_LT(d, t.rank());
        if (f.kind == Factor::Kind::kWindow) return;
        if (size < 0) size = t.shape[size_t(d)];
        EXPECT_EQ(t.shape[size_t(d)], size) << "one factor, two sizes";
      };
      for (size_t i = 0; i < in.size(); ++i) visit(f.operands[i], in[i]);
      for (size_t i = 0; i < out->size(); ++i) visit(f.results[i], (*out)[i]);
    }
    const Cost cost = op.cost(attributes->data(), in);
    EXPECT_GE(cost.flops, 0);
    EXPECT_GE(cost.bytes_written, 0);
  }
}
INSTANTIATE_TEST_SUITE_P(All, RuleTest,
                         ::testing::ValuesIn(std::vector<const OpInfo*>(all_ops().begin(), all_ops().end())),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace cutset::testing
