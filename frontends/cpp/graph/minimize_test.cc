// SPDX-License-Identifier: Apache-2.0
// Tests which variables minimize trains, and which losses it refuses.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

TEST(Minimize, OpsThatAreNotDifferentiableAreRefusedOnTheWayToTheLoss) {
  Graph g;
  Tensor w = g.variable("w", f32, {3}, Initializer::uniform(0, 1));
  g.minimize(sum(ops::relu_backward(w, w)), {});
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "reference:0"}); }), HasSubstr("not differentiable"));
}

TEST(Minimize, MinimumOfAQuadratic) {
  Graph g(1);
  Tensor w = g.variable("w", f32, {4}, Initializer::normal(0, 1));
  Tensor target = g.input("target", f32, {4});
  Tensor d = w - target;
  g.minimize(sum(d * d), {.learning_rate = 0.1});
  Session session = compile(g, {.devices = "reference:0"});
  Batch b;
  HostTensor t({f32, {4}});
  for (int i = 0; i < 4; ++i) t.as<float>()[i] = static_cast<float>(i) - 1.5f;
  b.emplace("target", t);
  for (int i = 0; i < 60; ++i) session.train(b);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(session.variable("w").at(i), i - 1.5, 1e-4);
}

TEST(Minimize, OfNothingThatIsTrainedIsAnError) {
  Graph g;
  Tensor x = g.input("x", f32, {4, 3});
  Tensor w = g.variable("w", f32, {3}, Initializer::uniform(1, 2));
  const int line = __LINE__ + 1;
  Tensor loss = mean(cast(argmax(x * w), {.dtype = f32}));
  g.minimize(loss, {});
  const std::string error = error_of([&] { compile(g, {.devices = "reference:0"}); });
  EXPECT_THAT(
      error,
      HasSubstr("minimize trains nothing: every path from a trainable variable to the loss goes through "
                "an op without a gradient"));
  EXPECT_THAT(error, HasSubstr("cutset.argmax' at minimize_test.cc:" + std::to_string(line)));
  Graph frozen;
  Tensor v = frozen.variable("v", f32, {3}, Initializer::uniform(1, 2), {.trainable = false});
  frozen.minimize(sum(v * v), {});
  EXPECT_THAT(error_of([&] { compile(frozen, {.devices = "reference:0"}); }),
              HasSubstr("no trainable variable; a variable is not trainable if it is frozen"));
}

}  // namespace
}  // namespace cutset
