// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/function_inputs.h"

#include <cutset/layers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FunctionInputs, AreThoseThatTheResultsDependOn) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 3}), label = g.input("label", i32, {4}),
               mask = g.input("mask", f32, {4});
  const Tensor statistic = g.input("statistic", f32, {}),
               state = g.variable("state", f32, {}, Initializer::zeros(), {.trainable = false});
  const Tensor logits = nn::dense("out", x, 5);
  g.assign(state, statistic);
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.1});
  g.function("evaluate", {x, label}, {{"logits", logits}});
  g.function("weighted", {x, mask}, {{"logits", mul(logits, reshape(mask, {.shape = {4, 1}}))}});
  EXPECT_THAT(inputs_of_function(g, "train"), ElementsAre("label", "statistic", "x"));
  EXPECT_THAT(inputs_of_function(g, "evaluate"), ElementsAre("x"));
  EXPECT_THAT(inputs_of_function(g, "weighted"), ElementsAre("mask", "x"));
  EXPECT_THAT(testing::error_of([&] { inputs_of_function(g, "other"); }),
              HasSubstr("has no function 'other'"));
}

}  // namespace
}  // namespace cutset
