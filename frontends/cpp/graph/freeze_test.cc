// SPDX-License-Identifier: Apache-2.0
// Tests Graph::freeze.
#include <cutset/cutset.h>
#include <cutset/optimizers.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

Tensor two_layers(Graph& g) {
  Tensor x = g.input("x", f32, {6, 5});
  return mean(tanh(nn::dense("last", tanh(nn::dense("body.0", x, 4)), 3)));
}
Graph frozen(const std::vector<std::string>& names, const Optimizer& optimizer = Sgd{0.1, 0.9}) {
  Graph g(3);
  g.minimize(two_layers(g), optimizer);
  g.freeze(names);
  return g;
}
Batch batch() {
  HostTensor x({f32, {6, 5}});
  for (int64_t i = 0; i < x.type().elements(); ++i) x.as<float>()[i] = std::sin(static_cast<float>(i) * 1.3f);
  return {{"x", std::move(x)}};
}

TEST(Freeze, LeavesVariablesAsTheyAreAndTrainsTheOthersAsBefore) {
  Session all = compile(frozen({}), {.devices = "reference:0"}),
          some = compile(frozen({"body"}), {.devices = "reference:0"});
  const HostTensor weight = some.variable("body.0.weight"), bias = some.variable("body.0.bias");
  all.train(batch());
  some.train(batch());
  EXPECT_EQ(some.variable("last.weight"), all.variable("last.weight"))
      << "the gradient of the first step is the same";
  EXPECT_NE(some.variable("last.weight"),
            compile(frozen({}), {.devices = "reference:0"}).variable("last.weight"));
  EXPECT_NE(all.variable("body.0.weight"), weight);
  for (int step = 0; step < 3; ++step) some.train(batch());
  EXPECT_EQ(some.variable("body.0.weight"), weight);
  EXPECT_EQ(some.variable("body.0.bias"), bias);
}

TEST(Freeze, MayPrecedeMinimize) {
  Graph g(3);
  const Tensor loss = two_layers(g);
  EXPECT_THAT(g.freeze({"last.weight", "body.0.bias"}), ElementsAre("body.0.bias", "last.weight"));
  EXPECT_THAT(g.freeze({"last"}), ElementsAre("last.bias"));
  g.minimize(loss, Sgd{0.1});
  Session session = compile(g, {.devices = "reference:0"});
  std::map<std::string, HostTensor> before;
  for (const std::string& name : session.variables()) before.emplace(name, session.variable(name));
  session.train(batch());
  for (const auto& [name, value] : before)
    EXPECT_EQ(session.variable(name) != value, name.starts_with("body.0.weight")) << name;
}

TEST(Freeze, MakesNoStateOfTheOptimizer) {
  const auto session = compile(frozen({"body"}, Adam{}), {.devices = "reference:0"});
  EXPECT_THAT(session.variables(), ::testing::Contains("last.weight/first_moment"));
  EXPECT_THAT(session.variables(), ::testing::Not(::testing::Contains(HasSubstr("body.0.weight/"))));
}

TEST(Freeze, IsTheSameUnderEveryStrategy) {
  for (const auto& [devices, strategy] : {std::pair("sim:0,reference:0", "data(2)"),
                                          {"sim:0,sim:1", "tensor(2)"},
                                          {"sim:0,sim:1", "pipeline(2, micro_batches=3)"},
                                          {"sim:0,sim:1", "data(2, shard=optimizer)"},
                                          {"sim:0,sim:1", "data(2, shard=parameters)"},
                                          {"sim:0,sim:1", "pipeline(2, micro_batches=3, recompute=true)"}}) {
    SCOPED_TRACE(strategy);
    EXPECT_SAME_ON(frozen({"body"}), devices, strategy);
    EXPECT_SAME_ON(frozen({"last.weight"}, Adam{}), devices, strategy);
  }
}

TEST(Freeze, LeavesRunningStatisticsToMove) {
  Graph g(3);
  Tensor x = g.input("x", f32, {6, 5});
  g.minimize(mean(tanh(nn::batch_norm("norm", nn::dense("first", x, 4)))), Sgd{0.1});
  EXPECT_THAT(g.freeze({"norm"}), ElementsAre("norm.weight", "norm.bias"));
  Session session = compile(g, {.devices = "reference:0"});
  const HostTensor weight = session.variable("norm.weight"), mean = session.variable("norm.running_mean");
  session.train(batch());
  EXPECT_EQ(session.variable("norm.weight"), weight);
  EXPECT_NE(session.variable("norm.running_mean"), mean);
}

TEST(Freeze, IsSavedWithTheProgramAndMakesNoAverage) {
  Graph g = frozen({"body"});
  g.average_weights({.decay = 0.5});
  const TemporaryFile file("frozen.cutset");
  save_program(g, {.devices = "reference:0"}, file.path);
  SavedProgram saved = load_program(file.path);
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_THAT(session.variables(), ::testing::Contains("last.weight/average"));
  EXPECT_THAT(session.variables(), ::testing::Not(::testing::Contains("body.0.weight/average")));
  for (const char* function : {"train", "train", "evaluate"})
    EXPECT_EQ(saved.run(function, batch()).at("loss"), session.run(function, batch()).at("loss")) << function;
}

TEST(Freeze, IsOfFloatingPointVariables) {
  Graph g(3);
  const Tensor loss = two_layers(g);
  g.variable("counter", i64, {}, Initializer::zeros());
  g.minimize(loss, Sgd{0.1});
  EXPECT_THAT(error_of([&] { g.freeze_except({"counter"}); }),
              HasSubstr("'counter' names no trainable variable"));
}

TEST(Freeze, MistakesAreNamedAndFreezeNothing) {
  Graph g = frozen({});
  const int line = __LINE__ + 1;
  const std::string error = error_of([&] { g.freeze({"last", "las"}); });
  EXPECT_THAT(error,
              AllOf(HasSubstr("'las' names no trainable variable"), HasSubstr("such as 'body.0.weight'"),
                    HasSubstr("freeze_test.cc:" + std::to_string(line))));
  EXPECT_THAT(error_of([&] { g.freeze_except({"las"}); }), HasSubstr("'las' names no trainable variable"));
  EXPECT_THAT(g.freeze_except({"last"}), ElementsAre("body.0.weight", "body.0.bias"));
  EXPECT_THAT(g.freeze({"last"}), ElementsAre("last.weight", "last.bias"));
  EXPECT_THAT(error_of([&] { g.freeze({"last"}); }), HasSubstr("the graph has no trainable variable"));
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "reference:0"}); }),
              HasSubstr("the loss depends on no trainable variable"));
}

}  // namespace
}  // namespace cutset
