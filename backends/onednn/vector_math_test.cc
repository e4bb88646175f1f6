#include "backends/onednn/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cutset::onednn {
namespace {

// The relative errors are small also where the functions are near 0.
TEST(VectorMath, IsAccurate) {
  for (double step = -40; step <= 40; step += 1.0 / 512)
    for (const float x :
         {static_cast<float>(2 * step), static_cast<float>(std::ldexp(1.0, static_cast<int>(std::min(step, 6.0)))),
          static_cast<float>(step / 100)}) {
      const double e = std::exp(double{x}), s = 1 / (1 + std::exp(-double{x})), t = std::tanh(double{x});
      ASSERT_LE(std::abs(fast_exp(x) - e) / e, 1e-6) << x;
      ASSERT_LE(std::abs(fast_sigmoid(x) - s) / s, 1e-6) << x;
      ASSERT_LE(t == 0 ? std::abs(double{fast_tanh(x)}) : std::abs(fast_tanh(x) - t) / std::abs(t), 1e-6) << x;
    }
}

TEST(VectorMath, ErrorFunctionsAreAccurate) {
  for (double step = -12; step <= 12; step += 1.0 / 1024)
    for (const float x : {static_cast<float>(step), static_cast<float>(step / 100), static_cast<float>(step * 1e-10)}) {
      const double e = std::erf(double{x}), n = std::erfc(-double{x} * 0.70710678118654752440) / 2;
      ASSERT_LE(e == 0 ? std::abs(double{fast_erf(x)}) : std::abs(fast_erf(x) - e) / std::abs(e), 1e-6) << x;
      ASSERT_LE(std::abs(fast_normal_distribution(x) - n), (x > -2.8 ? 1e-6 : 1e-5) * n + 1e-37) << x;
    }
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
