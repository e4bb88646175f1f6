#include "backends/onednn/gates.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cutset::onednn {
namespace {

// The relative errors are small also where the functions are near 0.
TEST(Gates, AreAccurate) {
  for (double step = -40; step <= 40; step += 1.0 / 512)
    for (const float x :
         {static_cast<float>(2 * step), static_cast<float>(std::ldexp(1.0, static_cast<int>(std::min(step, 6.0)))),
          static_cast<float>(step / 100)}) {
      const double e = std::exp(double{x}), s = 1 / (1 + std::exp(-double{x})), t = std::tanh(double{x});
      ASSERT_LE(std::abs(exp_of(x) - e) / e, 1e-6) << x;
      ASSERT_LE(std::abs(fast_sigmoid(x) - s) / s, 1e-6) << x;
      ASSERT_LE(t == 0 ? std::abs(double{fast_tanh(x)}) : std::abs(fast_tanh(x) - t) / std::abs(t), 1e-6) << x;
    }
}

TEST(Gates, OfSpecialValues) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float large : {150.0f, 1e30f, kInfinity}) {
    EXPECT_EQ(exp_of(large), kInfinity);
    EXPECT_EQ(exp_of(-large), 0);
    EXPECT_EQ(fast_sigmoid(large), 1);
    EXPECT_EQ(fast_sigmoid(-large), 0);
    EXPECT_EQ(fast_tanh(large), 1);
    EXPECT_EQ(fast_tanh(-large), -1);
  }
  EXPECT_EQ(fast_tanh(0), 0);
  for (const auto& f : {exp_of, fast_sigmoid, fast_tanh}) EXPECT_TRUE(std::isnan(f(std::nanf(""))));
}

}  // namespace
}  // namespace cutset::onednn
