// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "backends/onednn/for_each_processor.h"

namespace cutset::onednn {
namespace {

// Calls a function as kernels do: in a loop that the compiler turns into vectors for the processor.
#define IN_VECTORS(function)                                    \
  CUTSET_FOR_EACH_PROCESSOR                                     \
  void function##_of_all(const float* x, float* y, int64_t n) { \
    for (int64_t i = 0; i < n; ++i) y[i] = function(x[i]);      \
  }
IN_VECTORS(fast_exp)
IN_VECTORS(fast_sigmoid)
IN_VECTORS(fast_tanh)
IN_VECTORS(fast_erf)
IN_VECTORS(fast_normal_distribution)
using Loop = void (*)(const float*, float*, int64_t);

// Compares each element with `expected`. The tolerance is relative to the expected value, and absolute for
// numbers that f32 does not hold exactly.
void expect_near(Loop loop, const std::vector<float>& x, const std::function<double(double)>& expected,
                 const std::function<double(double)>& relative, double absolute = 2e-45) {
  ASSERT_EQ(x.size() % 16, 5u) << "the end of the loop is not a whole vector";
  std::vector<float> y(x.size());
  loop(x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = expected(x[i]);
    ASSERT_LE(std::abs(y[i] - want), relative(x[i]) * std::abs(want) + absolute) << x[i];
  }
}
// Returns numbers from `low` to `high`.
std::vector<float> between(double low, double high) {
  constexpr int kSteps = 40'004;
  std::vector<float> x;
  for (int i = 0; i <= kSteps; ++i) x.push_back(static_cast<float>(low + (high - low) * i / kSteps));
  return x;
}
double small(double) { return 1e-6; }

// The relative errors are small even where the functions are near 0.
TEST(VectorMath, IsAccurate) {
  for (const double scale : {1.0, 1e-2, 1e-10}) {
    const auto range = [&](double low, double high) { return between(scale * low, scale * high); };
    expect_near(fast_exp_of_all, range(-87, 88.7), [](double x) { return std::exp(x); }, small);
    expect_near(fast_sigmoid_of_all, range(-80, 80), [](double x) { return 1 / (1 + std::exp(-x)); }, small);
    expect_near(fast_tanh_of_all, range(-20, 20), [](double x) { return std::tanh(x); }, small);
    expect_near(fast_erf_of_all, range(-8, 8), [](double x) { return std::erf(x); }, small);
    expect_near(
        fast_normal_distribution_of_all, range(-13, 13),
        [](double x) { return std::erfc(-x * 0.70710678118654752440) / 2; },
        [](double x) { return x > -2.8 ? 1e-6 : 1e-5; });
  }
}

// Below e^-87.3, floats have fewer digits. They do not become 0 before they must.
TEST(VectorMath, ExponentialsMayBeSubnormal) {
  expect_near(fast_exp_of_all, between(-106, -87), [](double x) { return std::exp(x); }, small, 3e-45);
  EXPECT_GT(fast_exp(-103.0f), 0);
}

TEST(VectorMath, OfSpecialValues) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float large : {150.0f, 1e30f, kInfinity}) {
    EXPECT_EQ(fast_exp(large), kInfinity);
    EXPECT_EQ(fast_exp(-large), 0);
    EXPECT_EQ(fast_sigmoid(large), 1);
    EXPECT_EQ(fast_sigmoid(-large), 0);
    EXPECT_EQ(fast_tanh(large), 1);
    EXPECT_EQ(fast_tanh(-large), -1);
    EXPECT_EQ(fast_erf(large), 1);
    EXPECT_EQ(fast_erf(-large), -1);
    EXPECT_EQ(fast_normal_distribution(large), 1);
    EXPECT_EQ(fast_normal_distribution(-large), 0);
  }
  EXPECT_EQ(fast_tanh(0), 0);
  for (const auto& f : {fast_exp, fast_sigmoid, fast_tanh, fast_erf, fast_normal_distribution})
    EXPECT_TRUE(std::isnan(f(std::nanf(""))));
}

}  // namespace
}  // namespace cutset::onednn
