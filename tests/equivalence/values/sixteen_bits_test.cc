// SPDX-License-Identifier: Apache-2.0
// Compares compositions of f16 and bf16 with the same compositions in f64. Values and gradients are the
// results in f64, rounded once (docs/decisions/0041-sixteen-bit-floats-compute-in-f32.md).
#include <cutset/cutset.h>
#include <cutset/losses.h>
#include <cutset/normalizations.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/onnx_ops/quantization.h>
#include <cutset/quantization.h>
#include <cutset/shapes.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/core/half.h"
#include "tests/compositions.h"
#include "tests/equivalence/support/composed_functions.h"
#include "tests/errors.h"

namespace cutset::testing {
namespace {

// Returns the function as a graph whose operands are the variables "x0", "x1" and so on. Its function
// "values" returns the results. The loss is the sum of their elements times numbers that all types hold.
Graph graph_of(const Function& f, DType type) {
  Graph g(3);
  Tensors x;
  for (const Given& given : f.operands)
    x.push_back(g.variable("x" + std::to_string(x.size()), type, given.shape, Initializer::zeros()));
  const DType wide = type == f64 ? f64 : f32;
  Tensor loss;
  std::vector<std::pair<std::string, Tensor>> results;
  for (const Tensor& y : f.build(g, x)) {
    results.emplace_back("y" + std::to_string(results.size()), y);
    if (!f.has_gradient) continue;
    EXPECT_EQ(y.dtype(), type) << f.name;
    const Tensor index = arange(g, y.type().elements(), i64) * 5;
    const Tensor factors = cast(mod(index, constant(index, 7)) - 3, {.dtype = wide});
    const Tensor term = sum(cast(reshape(y, {.shape = {-1}}), {.dtype = wide}) * factors);
    loss = loss.defined() ? loss + term : term;
  }
  g.function("values", {}, results);
  if (f.has_gradient) g.minimize(loss, {.learning_rate = 0});
  return g;
}

HostTensor in_type(const HostTensor& t, DType type) {
  HostTensor made({type, t.shape()});
  for (int64_t i = 0; i < t.elements(); ++i) made.set(i, t.at(i));
  return made;
}

// Returns the largest finite number of a type of 16 bits.
double limit_of(DType type) { return type == f16 ? 65504 : 0x1.fep127; }

// Whether the type can hold `want`, which is computed in f64: the numbers are finite and not too large.
bool fits(const HostTensor& want, DType type) {
  for (int64_t i = 0; i < want.elements(); ++i)
    if (!(std::abs(want.at(i)) <= limit_of(type))) return false;
  return true;
}

// Expects the elements of `want`, rounded once. The other part of the bound is the error of an f32 that is
// computed in several steps.
void expect_rounded(const HostTensor& got, const HostTensor& want, DType type, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  const double limit = limit_of(type), rounding = type == f16 ? 0x1p-11 : 0x1p-8,
               least = type == f16 ? 0x1p-24 : 0x1p-126;
  double largest = 0;
  for (int64_t i = 0; i < want.elements(); ++i)
    if (std::abs(want.at(i)) <= limit) largest = std::max(largest, std::abs(want.at(i)));
  for (int64_t i = 0; i < want.elements(); ++i) {
    const double g = got.at(i), w = want.at(i);
    if (std::abs(w) > limit * (1 + rounding)) {
      EXPECT_EQ(g, std::copysign(HUGE_VAL, w)) << what << ": element " << i << " of f64 is " << w;
    } else if (std::abs(w) <= limit) {
      const bool exact = !is_half(got.dtype()) && got.dtype() != f32;  // integers
      EXPECT_LE(std::abs(g - w), exact ? 0 : 1.001 * rounding * std::abs(w) + 1e-5 * largest + least)
          << what << ": element " << i << " is " << g << " and not " << w;
    } else {
      EXPECT_FALSE(std::isnan(w)) << what << ": element " << i << " of f64";
    }
  }
}

class SixteenBits : public ::testing::TestWithParam<DType> {};

TEST_P(SixteenBits, FunctionsAreThoseOfF64RoundedOnce) {
  const DType type = GetParam();
  int64_t compared = 0, gradients = 0;
  for (const Function& f : composed_functions()) {
    const CompileOptions options{.devices = "reference:0", .gradients = true};
    Session session = compile(graph_of(f, type), options), exact = compile(graph_of(f, f64), options);
    for (const double scale : {1., 300., 30000.}) {
      const std::string what =
          std::string(f.name) + " of " + name_of(type) + ", scale " + std::to_string(scale);
      uint64_t state = 12345;
      const auto drawn = [&](double low, double high) {  // Knuth's linear congruential generator
        state = state * 6364136223846793005u + 1442695040888963407u;
        return low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53;
      };
      for (size_t i = 0; i < f.operands.size(); ++i) {
        HostTensor x({type, f.operands[i].shape});
        const From from = f.operands[i].from;
        for (int64_t e = 0; e < x.elements(); ++e)
          x.set(e,
                from == From::kUnit ? drawn(0.1, 0.9) : scale * drawn(from == From::kSigned ? -1 : 0.1, 1));
        session.set_variable("x" + std::to_string(i), x);
      }
      for (const std::string& v : session.variables()) {
        const HostTensor value = session.variable(v);
        exact.set_variable(v, is_half(value.dtype()) || value.dtype() == f32 ? in_type(value, f64) : value);
      }
      bool all_fit = true;
      const auto got = session.run("values", {}), want = exact.run("values", {});
      for (const auto& [name, y] : want) {
        expect_rounded(got.at(name), y, type, what + ", result " + name);
        all_fit = all_fit && fits(y, type);
        ++compared;
      }
      if (!f.has_gradient || !all_fit) continue;
      const auto exact_gradients = exact.train({});
      for (const auto& [name, y] : exact_gradients) all_fit = all_fit && fits(y, type);
      if (!all_fit) continue;
      const auto its = session.train({});
      for (const auto& [name, y] : exact_gradients)
        if (name != "loss") {
          expect_rounded(its.at(name), y, type, what + ", " + name);
          ++gradients;
        }
    }
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(gradients, 250);
}
INSTANTIATE_TEST_SUITE_P(All, SixteenBits, ::testing::Values(f16, bf16),
                         [](const auto& info) { return name_of(info.param); });

// The integers are multiples of the scale that the caller gets. The range of the elements is too large for
// f16.
TEST_P(SixteenBits, DynamicQuantizationReturnsTheScaleThatItUses) {
  for (const double scale : {1e-6, 1., 60000.}) {
    Graph g;
    const Tensor x = g.variable("x", GetParam(), {4}, Initializer::zeros());
    const onnx_ops::DynamicallyQuantized q = onnx_ops::dynamic_quantize_linear(x);
    g.function("values", {}, {{"y", q.y}, {"scale", q.scale}, {"zero", q.zero_point}});
    Session session = compile(g, {.devices = "reference:0"});
    session.set_variable("x", filled(GetParam(), {4}, {-scale, 0, 0.3 * scale, scale}));
    auto r = session.run("values", {});
    const double step = r["scale"].at(0), zero = r["zero"].at(0);
    ASSERT_GT(step, 0);
    ASSERT_TRUE(std::isfinite(step));
    for (int64_t i = 0; i < 4; ++i) {
      const double number = (r["y"].at(i) - zero) * step, want = session.variable("x").at(i);
      EXPECT_LE(std::abs(number - want), step * (scale < 1e-3 ? 1 : 1.01) + 0.01 * scale)
          << scale << ", element " << i;
    }
  }
}

// The epsilon of 1e-9 is too small for f16.
TEST_P(SixteenBits, ALineOfEqualNumbersIsNormalizedToZeros) {
  Graph g;
  const Tensor x = g.variable("x", GetParam(), {2, 4}, Initializer::constant(3));
  g.function("values", {}, {{"y", onnx_ops::mean_variance_norm(x, {1})}});
  EXPECT_EQ(elements(compile(g, {.devices = "reference:0"}).run("values", {})["y"]),
            std::vector<double>(8, 0));
}

// Checks see the types of the caller's operands. The graph stays unchanged.
TEST(SixteenBitsRefuse, OperandsWithTheTypesOfTheCaller) {
  Graph g;
  const Tensor x = g.variable("x", bf16, {2, 4}, Initializer::zeros()),
               wide = g.variable("wide", f32, {2, 4}, Initializer::zeros());
  const std::string before = g.text();
  EXPECT_THAT(error_of([&] { onnx_ops::lp_normalize(x, 1, 3); }),
              ::testing::HasSubstr("lp_normalize of 2x4xbf16 needs p = 1"));
  EXPECT_THAT(error_of([&] { mse_loss(x, wide); }), ::testing::HasSubstr("not 2x4xf32"));
  EXPECT_THAT(error_of([&] { rms_norm(x, wide); }), ::testing::HasSubstr("bf16"));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset::testing
