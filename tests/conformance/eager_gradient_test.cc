// SPDX-License-Identifier: Apache-2.0
// Computes the gradients of all differentiable ops without the compiler: a GradientBuilder runs the reference
// kernel of each op at once. The gradients in f64 are compared with central differences (step 1e-6). The
// gradients in f16 and bf16 are compared with the gradients in f64 for the same operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "ir/core/half.h"
#include "runtime/kernels/half_cases.h"
#include "runtime/kernels/run_reference.h"
#include "tests/conformance/gradient_cases.h"

namespace cutset::testing {
namespace {

// A handle is the address of a tensor that the builder holds.
class EagerBuilder : public GradientBuilder {
 public:
  std::string error;
  GraphValue hold(HostTensor tensor) { return GraphValue(&held_.emplace_back(std::move(tensor))); }
  GraphValues hold_all(std::vector<HostTensor> tensors) {
    GraphValues values;
    for (HostTensor& t : tensors) values.push_back(hold(std::move(t)));
    return values;
  }
  static const HostTensor& tensor(GraphValue v) { return *static_cast<const HostTensor*>(v.handle()); }

  GraphValues op(std::string_view name, const GraphValues& operands, const Attributes& attributes) override {
    std::vector<HostTensor> in;
    for (const GraphValue v : operands) {
      if (!v && error.empty()) error = "an operand of " + std::string(name) + " is empty";
      if (!error.empty()) return {};
      in.push_back(tensor(v));
    }
    auto results = run_reference_kernel(*find_op(name), attributes, in);
    if (results.ok()) return hold_all(*std::move(results));
    error = std::string(name) + ": " + results.error().text();
    return {};
  }
  TensorType type(GraphValue value) const override { return value ? tensor(value).type() : TensorType(); }
  GraphValue constant(DType dtype, double value) override {
    HostTensor t({dtype, {}});
    t.set(0, value);
    return hold(std::move(t));
  }

 private:
  std::deque<HostTensor> held_;  // elements do not move
};

// Returns the gradients of the operands for these results and gradients of the results. A gradient may be
// missing.
GraphValues gradients_of(EagerBuilder& builder, const OpInfo& op, const Attributes& attributes,
                         const std::vector<HostTensor>& in, const std::vector<HostTensor>& results,
                         const std::vector<HostTensor>& weights) {
  Differentiated its{builder.hold_all(in), builder.hold_all(results), builder.hold_all(weights), attributes};
  for (size_t r = 0; r < results.size(); ++r)
    if (!is_float(results[r].dtype())) its.gradients[r] = {};
  const auto flat = FlatAttrs::pack(op.schema, attributes);
  GraphValues gradients = op.gradient(builder, flat->data(), its);
  EXPECT_LE(gradients.size(), in.size());
  gradients.resize(in.size());
  return gradients;
}

// Returns the fixed cases that are small enough for these tests.
std::vector<Case> small_cases(const OpInfo& op) {
  std::vector<Case> list;
  for (const Case& c : op.cases().fixed) {
    int64_t largest = 0;
    for (const Operand& o : c.operands) largest = std::max(largest, o.type.elements());
    if (largest < 2000) list.push_back(c);
  }
  return list;
}

class EagerGradientTest : public ::testing::TestWithParam<const OpInfo*> {
 protected:
  int compared = 0;

  // Checks the gradients of one case. The loss is a weighted sum of the elements of all floating-point
  // results.
  void check(const OpInfo& op, Case c, uint64_t seed) {
    widen(c.attributes);
    std::vector<HostTensor> in;
    for (const HostTensor& t : draw(c, seed)) in.push_back(widened(t));
    auto results = run_reference_kernel(op, c.attributes, in);
    ASSERT_TRUE(results.ok()) << results.error().text();
    std::vector<HostTensor> weights;  // a tensor is empty if its result has no gradient
    for (const HostTensor& r : *results) {
      const Shape shape = is_float(r.dtype()) ? r.shape() : Shape{0};
      weights.push_back(widened(draw(Case{"weights", {}, {{{f32, shape}}}}, ++seed)[0]));
    }
    if (std::none_of(results->begin(), results->end(),
                     [](const HostTensor& r) { return is_float(r.dtype()); }))
      return;
    const auto loss = [&](const std::vector<HostTensor>& operands) {
      double sum = 0;
      const auto got = run_reference_kernel(op, c.attributes, operands);
      for (size_t r = 0; r < weights.size(); ++r)
        for (int64_t i = 0; i < weights[r].elements(); ++i) sum += weights[r].at(i) * (*got)[r].at(i);
      return sum;
    };
    EagerBuilder builder;
    const GraphValues gradients = gradients_of(builder, op, c.attributes, in, *results, weights);
    ASSERT_EQ(builder.error, "") << c.name;
    for (size_t i = 0; i < in.size(); ++i) {
      if (!c.operands[i].differentiate || !is_float(in[i].dtype()) || op.reads_type_only(i)) continue;
      ASSERT_TRUE(gradients[i]) << c.name << ": operand " << i << " has no gradient";
      ASSERT_EQ(builder.type(gradients[i]), in[i].type()) << c.name << ", operand " << i;
      const int64_t stride = std::max<int64_t>(1, in[i].elements() / 10);
      for (int64_t e = 0; e < in[i].elements(); e += stride, ++compared) {
        constexpr double kStep = 1e-6;
        auto up = in, down = in;
        up[i].as<double>()[e] += kStep;
        down[i].as<double>()[e] -= kStep;
        const double numeric = (loss(up) - loss(down)) / (2 * kStep),
                     given = EagerBuilder::tensor(gradients[i]).at(e);
        EXPECT_LE(std::abs(given - numeric), 1e-5 + 1e-3 * std::abs(numeric))
            << c.name << ", operand " << i << "[" << e << "]";
      }
    }
  }
};

TEST_P(EagerGradientTest, MatchesFiniteDifferences) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  uint64_t seed = 1;
  for (const Case& c : small_cases(op)) check(op, c, seed += 10);
  PhiloxSequence random(12);
  for (int i = 0; i < 20; ++i) check(op, cases.random(random), seed += 10);
  EXPECT_GE(compared, 20);
}

// Each op of a gradient rounds to the type, so an element may differ from the element in f64 by several units
// in the last place of the largest element. For a gradient of up to ten ops that subtract numbers of equal
// size, the difference stays below 16 units.
TEST_P(EagerGradientTest, HalvesMatchF64) {
  const OpInfo& op = *GetParam();
  uint64_t seed = 1;
  for (const Case& small : small_cases(op))
    for (const DType type : {f16, bf16}) {
      const Case c = in_type(op, small, type);
      SCOPED_TRACE(c.name);
      std::vector<HostTensor> in = draw(c, seed += 10), wide;
      bool has_halves = false;
      for (const HostTensor& t : in) {
        has_halves |= is_half(t.dtype());
        wide.push_back(widened(t));
      }
      if (!has_halves) continue;
      Attributes attributes = small.attributes;
      widen(attributes);
      const auto results = run_reference_kernel(op, c.attributes, in),
                 wide_results = run_reference_kernel(op, attributes, wide);
      ASSERT_TRUE(results.ok() && wide_results.ok());
      std::vector<HostTensor> weights, wide_weights;
      for (const HostTensor& r : *wide_results) {
        if (!is_float(r.dtype())) {  // a result that has no gradient
          weights.emplace_back(TensorType{f32, {0}});
          wide_weights.emplace_back(TensorType{f32, {0}});
          continue;
        }
        weights.push_back(
            draw(Case{"weights", {}, {{{(*results)[weights.size()].dtype(), r.shape()}}}}, ++seed)[0]);
        wide_weights.push_back(widened(weights.back()));
      }
      if (std::none_of(results->begin(), results->end(),
                       [](const HostTensor& r) { return is_float(r.dtype()); }))
        continue;
      EagerBuilder builder, wide_builder;
      const GraphValues gradients = gradients_of(builder, op, c.attributes, in, *results, weights),
                        want = gradients_of(wide_builder, op, attributes, wide, *wide_results, wide_weights);
      ASSERT_EQ(builder.error + wide_builder.error, "");
      for (size_t i = 0; i < in.size(); ++i) {
        if (!c.operands[i].differentiate || !is_half(in[i].dtype()) || op.reads_type_only(i)) continue;
        ASSERT_TRUE(gradients[i] && want[i]) << "operand " << i;
        const HostTensor &g = EagerBuilder::tensor(gradients[i]), &w = EagerBuilder::tensor(want[i]);
        ASSERT_EQ(g.type(), in[i].type());
        double largest = 0;
        const auto rounded = [&](int64_t e) { return double{from_half(to_half(w.at(e), type), type)}; };
        // Elements that overflow in the type do not widen the tolerance. Its absolute part is for the softmax
        // of large values, whose gradient is a difference of numbers that are nearly equal in bf16.
        for (int64_t e = 0; e < w.elements(); ++e)
          if (std::isfinite(rounded(e))) largest = std::max(largest, std::abs(rounded(e)));
        const double tolerance =
            type == f16 ? 16 * largest * 0x1p-10 + 0x1p-24 : 16 * largest * 0x1p-7 + 0x1p-18;
        for (int64_t e = 0; e < w.elements(); ++e, ++compared) {
          const double expected = rounded(e);
          if (g.at(e) == expected) continue;
          ASSERT_LE(std::abs(g.at(e) - expected), tolerance)
              << "operand " << i << "[" << e << "] has the gradient " << g.at(e) << ", not " << w.at(e);
        }
      }
    }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Ops, EagerGradientTest, ::testing::ValuesIn(differentiable_ops()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace cutset::testing
