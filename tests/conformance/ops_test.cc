// SPDX-License-Identifier: Apache-2.0
// Runs the cases of every op on every available backend and compares the results with the reference kernel.
// Also tests the random number generator and the consistency of the sharding rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "runtime/device/backend_report.h"
#include "runtime/kernels/half_cases.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

// Returns the most cases of an op that run on a kind of device. CUTSET_TEST_FEW_CASES limits the cases on
// devices that compile a kernel for each case; `ctest -C full` runs all of them.
size_t most_cases(const std::string& kind) {
  const char* few = std::getenv("CUTSET_TEST_FEW_CASES");
  return few && (kind == "opencl" || kind == "cuda") ? std::stoul(few) : std::numeric_limits<size_t>::max();
}

class OpTest : public ::testing::TestWithParam<OpOnDevice> {};

TEST_P(OpTest, CasesMatchTheReference) {
  const OpInfo& op = *GetParam().op;
  auto device = open_device(GetParam().kind);
  if (!has_kernel(device->api(), op)) {
    EXPECT_FALSE(op.needs_kernel()) << GetParam().kind << " has no kernel for " << op.name;
    return;
  }
  const OpCases cases = op.cases();
  std::vector<Case> all = cases.fixed;
  ASSERT_FALSE(all.empty());
  ASSERT_NE(cases.random, nullptr);
  PhiloxSequence random(5);
  for (int i = 0; i < 20; ++i) all.push_back(cases.random(random));
  for (Case& c : half_cases(op)) all.push_back(std::move(c));
  if (const size_t most = most_cases(GetParam().kind); all.size() > most) {
    std::swap(all[1], all.back());  // a case in 16 bits, if the op has one
    all.resize(most);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    SCOPED_TRACE(std::string(op.name) + ", case '" + c.name + "' (" + std::to_string(i) + ")");
    const auto in = draw(c, i);
    auto want = run_reference(op, c, in);
    ASSERT_TRUE(want.ok()) << want.error().text();
    std::string kernel;
    auto got = run_on(*device, op, c, in, &kernel);
    // These backends do not compute in f64 and must refuse every problem in f64.
    const bool wide =
        std::any_of(want->begin(), want->end(), [](const HostTensor& t) { return t.type().dtype == f64; });
    if (wide && (GetParam().kind == "opencl" || GetParam().kind == "cuda")) {
      ASSERT_FALSE(got.ok());
      EXPECT_THAT(got.error().text(), ::testing::HasSubstr("no kernel for f64"));
      continue;
    }
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(compare(*got, *want, c), "") << kernel;
    auto again = run_on(*device, op, c, in, &kernel);
    ASSERT_TRUE(again.ok());
    for (size_t r = 0; r < got->size(); ++r)
      EXPECT_EQ((*got)[r], (*again)[r]) << "two runs differ: " << kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpTest, ::testing::ValuesIn(ops_on_devices()),
                         [](const auto& info) { return name_of(info.param); });

// The conformance tests run on the available kinds of devices. This test reports the missing kinds as
// skipped.
class KindTest : public ::testing::TestWithParam<const char*> {};
TEST_P(KindTest, IsAvailable) {
  const std::vector<BackendReport> reports = report_backends();
  const auto row =
      std::find_if(reports.begin(), reports.end(), [](const auto& r) { return r.kind == GetParam(); });
  ASSERT_NE(row, reports.end()) << "cutset devices does not list " << GetParam();
  const bool ours = row->kind == "reference" || row->kind == "sim";  // these kinds depend on no other library
  if (ours) {
    EXPECT_EQ(row->missing, "");
  }
  if (!row->missing.empty()) GTEST_SKIP() << row->kind << ": " << row->missing;
  EXPECT_NE(open_device(row->kind)->handle(), nullptr);
  EXPECT_NE(row->description, "");
}
INSTANTIATE_TEST_SUITE_P(All, KindTest, ::testing::Values("cpu", "cuda", "opencl", "reference", "sim"),
                         [](const auto& info) { return std::string(info.param); });

// The labels are less than 0, or too large, or have low 32 bits that are a class. The losses are NaN, and the
// reference kernel gives the expected gradients.
TEST(Labels, OutsideTheClasses) {
  for (const std::string& kind : kinds_here()) {
    auto device = open_device(kind);
    for (const DType type : {i32, i64})
      for (const double label : {-1., 10., type == i64 ? 0x1p32 + 1 : 11.})
        for (const char* name : {"softmax_cross_entropy", "softmax_cross_entropy_backward"}) {
          const OpInfo& op = *find_op(name);
          Case c = op.cases().fixed[0];
          const size_t labels = c.operands.size() - 1;
          c.operands[labels].type.dtype = type;
          auto in = draw(c, 1);
          in[labels].set(3, label);
          std::string kernel;
          auto got = run_on(*device, op, c, in, &kernel);
          ASSERT_TRUE(got.ok()) << kind << ": " << got.error().text();
          if (labels == 1) {
            EXPECT_TRUE(std::isnan((*got)[0].at(3))) << kernel << " " << label;
            EXPECT_FALSE(std::isnan((*got)[0].at(2))) << kernel << " " << label;
          } else {
            EXPECT_EQ(compare(*got, *run_reference(op, c, in), c), "") << kernel << " " << label;
          }
        }
  }
}

// The expected numbers are from Random123's file of known answers (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, KnownAnswers) {
  EXPECT_THAT(philox(0, 0, 0), ::testing::ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(philox(~0ull, ~0ull, ~0ull),
              ::testing::ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
}

// A number consists of two words; the first word is the high half. The order must not depend on the compiler.
TEST(Philox, ASequenceIsTheSameWithEveryCompiler) {
  EXPECT_EQ(PhiloxSequence(0).below(~0ull), 0x6627e8d5e169c58cull);
  PhiloxSequence pairs(0);
  EXPECT_EQ(pairs.unit(), static_cast<double>((0x6627e8d5ull << 21) ^ (0xe169c58dull >> 11)) * 0x1p-53);
  EXPECT_EQ(pairs.below(~0ull), 0xbc57ac4c9b00dbd7ull);
}

// A sharding rule names existing dimensions. All dimensions of a factor have the same number of steps, unless
// the factor is a window. sharding_test.cc tests that a split along a factor gives the same results.
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
      auto visit = [&](int d, int64_t unit, const TensorType& t) {
        if (d < 0) return;
        ASSERT_LT(d, t.rank());
        ASSERT_GE(unit, 1);
        if (f.window) return;
        if (size < 0) size = t.shape[size_t(d)] / unit;
        EXPECT_EQ(t.shape[size_t(d)], size * unit) << "a factor has dimensions of two numbers of steps";
      };
      for (size_t i = 0; i < in.size(); ++i) {
        EXPECT_GE(f.operands[i], kAbsent);
        visit(f.operands[i], f.operand_unit(i), in[i]);
      }
      for (size_t i = 0; i < out->size(); ++i) {
        const bool is_state = i > 0 && static_cast<int>(i) < op.updates;
        EXPECT_TRUE(f.results[i] >= 0 || f.results[i] == kPartial || (f.results[i] == kAbsent && is_state))
            << "shards can give a whole result only if it is a state of an optimizer";
        visit(f.results[i], f.result_unit(i), (*out)[i]);
      }
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
