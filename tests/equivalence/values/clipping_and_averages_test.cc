// SPDX-License-Identifier: Apache-2.0
// Tests clipping of gradients, and moving averages of weights: known values, every strategy, and refused
// calls.
#include <cutset/cutset.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/conformance/on_device.h"
#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns a graph in which the gradients of the variables a and b are the inputs of the same names.
Graph linear() {
  Graph g;
  Tensor loss;
  for (const char* name : {"a", "b"}) {
    Tensor c = g.input(std::string("d") + name, f32, {2}, {.batch_dimension = std::nullopt});
    Tensor term = sum(g.variable(name, f32, {2}, Initializer::zeros()) * c);
    loss = loss.defined() ? loss + term : term;
  }
  g.minimize(loss, {.learning_rate = 1});
  return g;
}
Batch gradients(std::array<float, 2> a, std::array<float, 2> b) {
  return {{"da", HostTensor({2}, a)}, {"db", HostTensor({2}, b)}};
}
// Returns the numbers that one step with a learning rate of 1 subtracts from the variables.
std::array<double, 4> step(Session& session, const Batch& batch) {
  const HostTensor a = session.variable("a"), b = session.variable("b");
  session.train(batch);
  const HostTensor c = session.variable("a"), d = session.variable("b");
  return {a.at(0) - c.at(0), a.at(1) - c.at(1), b.at(0) - d.at(0), b.at(1) - d.at(1)};
}
void expect_step(const std::array<double, 4>& got, const std::array<double, 4>& want) {
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], want[i], 1e-5) << i;
}

class Clipping : public ::testing::TestWithParam<std::string> {};

TEST_P(Clipping, ByValueLimitsEachElement) {
  Graph g = linear();
  g.clip_gradients({.value = 0.5});
  Session session = compile(g, {.devices = GetParam() + ":0"});
  expect_step(step(session, gradients({2, -3}, {0.25, -0.5})), {0.5, -0.5, 0.25, -0.5});
  session.set_hyper_parameter("clip_value", 1);
  expect_step(step(session, gradients({2, -3}, {0.75, 0})), {1, -1, 0.75, 0});
}

// The norm of (3, 0, 0, 4) is 5.
TEST_P(Clipping, ByNormScalesAllGradientsAlike) {
  Graph g = linear();
  g.clip_gradients({.norm = 1});
  Session session = compile(g, {.devices = GetParam() + ":0"});
  expect_step(step(session, gradients({3, 0}, {0, 4})), {0.6, 0, 0, 0.8});
  expect_step(step(session, gradients({0.3f, 0}, {0, -0.4f})), {0.3, 0, 0, -0.4});
  session.set_hyper_parameter("clip_norm", 2.5);
  expect_step(step(session, gradients({3, 0}, {0, 4})), {1.5, 0, 0, 2});
  expect_step(step(session, gradients({0, 0}, {0, 0})), {0, 0, 0, 0});
}

TEST_P(Clipping, ByValueComesBeforeTheNorm) {
  Graph g = linear();
  g.clip_gradients({.value = 4, .norm = 1});
  Session session = compile(g, {.devices = GetParam() + ":0"});
  expect_step(step(session, gradients({3, 0}, {0, 400})), {0.6, 0, 0, 0.8});
}

// The square of 300 is too large for f16.
TEST_P(Clipping, ByNormAddsTheSquaresOfSixteenBitsInF32) {
  Graph g;
  const Tensor w = g.variable("w", f16, {2}, Initializer::zeros());
  g.minimize(sum(w * g.input("dw", f16, {2}, {.batch_dimension = std::nullopt})), {.learning_rate = 1});
  g.clip_gradients({.norm = 5});
  Session session = compile(g, {.devices = GetParam() + ":0"});
  HostTensor gradient({f16, {2}});
  gradient.set(0, 300);
  gradient.set(1, -400);
  session.train({{"dw", gradient}});
  EXPECT_NEAR(session.variable("w").at(0), -3, 0.01);
  EXPECT_NEAR(session.variable("w").at(1), 4, 0.01);
}

TEST_P(Clipping, AverageFollowsTheUpdatedVariable) {
  Graph g = linear();
  g.average_weights({.decay = 0.75});
  Session session = compile(g, {.devices = GetParam() + ":0"});
  session.train(gradients({4, -8}, {0, 1}));
  EXPECT_EQ(session.variable("a/average").at(0), -1);
  EXPECT_EQ(session.variable("a/average").at(1), 2);
  session.train(gradients({0, 0}, {0, 0}));
  EXPECT_EQ(session.variable("a/average").at(0), -1.75);
  session.set_hyper_parameter("average_decay", 0);
  session.train(gradients({0, 0}, {0, 0}));
  EXPECT_EQ(session.variable("a/average"), session.variable("a"));
}
INSTANTIATE_TEST_SUITE_P(All, Clipping, ::testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return info.param; });

// If the squares of a finite gradient overflow, the norm refuses the step as it does for a NaN, and nothing
// changes.
TEST(ClippingRefuses, AStepWhoseNormIsNotFinite) {
  Graph g = linear();
  g.clip_gradients({.norm = 1});
  g.average_weights();
  Session session = compile(g, {.devices = "reference:0"});
  session.train(gradients({1, 2}, {3, 4}));
  const HostTensor a = session.variable("a"), velocity = session.variable("a/velocity"),
                   average = session.variable("a/average");
  for (float bad : {1e30f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    EXPECT_THAT(error_of([&] { session.train(gradients({1, 2}, {bad, 4})); }), HasSubstr("is not committed"))
        << bad;
    EXPECT_EQ(session.variable("a"), a);
    EXPECT_EQ(session.variable("a/velocity"), velocity);
    EXPECT_EQ(session.variable("a/average"), average);
  }
}

TEST(ClippingRefuses, LimitsAndDecaysOutsideTheirRanges) {
  const auto clips = [](const GradientClipping& c) { return error_of([&] { linear().clip_gradients(c); }); };
  EXPECT_THAT(clips({}), AllOf(HasSubstr("has no limit"), HasSubstr("clipping_and_averages_test.cc")));
  EXPECT_THAT(clips({.value = 0}), HasSubstr("'clip_value' is 0"));
  EXPECT_THAT(clips({.norm = -1}), HasSubstr("'clip_norm' is -1"));
  EXPECT_THAT(clips({.norm = std::nan("")}), HasSubstr("not a finite f32"));
  EXPECT_THAT(error_of([] { linear().average_weights({.decay = 1}); }), HasSubstr("'average_decay' is 1"));
  EXPECT_THAT(error_of([] { linear().average_weights({.functions = {"train"}}); }),
              HasSubstr("'train' cannot read"));
  EXPECT_THAT(error_of([] {
                Graph g = linear();
                g.average_weights({.functions = {"test"}});
                compile(g, {.devices = "reference:0"});
              }),
              HasSubstr("the function \"test\", which the graph does not have"));
  EXPECT_THAT(error_of([] {
                Graph g = linear();
                g.average_weights();
                g.average_weights();
              }),
              HasSubstr("average_weights was called before"));
  EXPECT_THAT(error_of([] {
                Graph g = linear();
                (void)g.variable("a/average", f32, {}, Initializer::zeros());
                g.average_weights();
                compile(g, {.devices = "reference:0"});
              }),
              HasSubstr("has the name of the average of variable 'a'"));
}

Graph clipped_network(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor h = tanh(nn::dense("in", ops::slice(flatten(image), {.axis = 1, .start = 300, .length = 200}), 24));
  Tensor logits = nn::dense("out", h, 10);
  g.output("logits", logits);
  g.clip_gradients({.value = 0.02, .norm = 0.05});
  g.average_weights({.decay = 0.5});
  g.minimize(mean(softmax_cross_entropy(logits, label)), Adam{.learning_rate = 0.01});
  return g;
}

class ClippingUnder : public ::testing::TestWithParam<Split> {};
TEST_P(ClippingUnder, AStrategyTrainsAsOneDevice) {
  expect_as_on_one_device({"", clipped_network, {13, 13, 5}, "", ""}, std::array{GetParam()}, 1e-9);
}
TEST_P(ClippingUnder, AStrategyIsVerified) {
  EXPECT_SAME_ON(clipped_network(12, 3), GetParam().devices, GetParam().strategy);
}
// "evaluate" reads the averages, even if it is compiled alone for another batch.
TEST_P(ClippingUnder, AStrategyEvaluatesTheAverages) {
  const auto& [devices, strategy] = GetParam();
  const auto evaluated = [](const std::string& on, const std::string& how) {
    Session session = compile(clipped_network(12, 3), {.devices = on, .strategy = how, .f64 = true});
    for (uint64_t t = 0; t < 3; ++t) session.train(noise(12, 3, t));
    return std::pair(session.evaluate(noise(12, 3, 9))["logits"], session.evaluate(noise(8, 3, 9))["logits"]);
  };
  const auto want = evaluated("reference:0", ""), got = evaluated(devices, strategy);
  EXPECT_LE(difference(got.first, want.first), 1e-9);
  EXPECT_LE(difference(got.second, want.second), 1e-9);
}
constexpr const char* kFour = "sim:0,reference:0,sim:1,reference:1";
INSTANTIATE_TEST_SUITE_P(
    Strategies, ClippingUnder,
    ::testing::Values(Split{"sim:0,reference:0", "data(2, shares=5:2)"},
                      Split{kFour, "data(4, shard=optimizer)"},
                      Split{kFour, "data(4, shares=5:2:1:0.5, shard=gradients)"},
                      Split{kFour, "data(4, shard=parameters)"}, Split{"sim:0,reference:0", "model"},
                      Split{"sim:0,reference:0", "pipeline(2, micro_batches=3)"},
                      Split{"sim:0,reference:0", "tensor(2)"},
                      Split{kFour, "data(2, shard=gradients) * pipeline(2, micro_batches=2)"},
                      Split{kFour, "pipeline(2, micro_batches=2) * tensor(2)"}));

// With both limits, the norm reads the gradients that `value` has limited. No device has these gradients
// whole if two axes divide them.
TEST(ClippingRefuses, ANormOfGradientsThatTwoAxesDivide) {
  EXPECT_THAT(error_of([] {
                compile(clipped_network(12, 3),
                        {.devices = kFour, .strategy = "data(2, shard=optimizer) * tensor(2)"});
              }),
              HasSubstr("a variable that is divided over all devices"));
}

TEST(ClippingOnDevicesOfSeveralKinds, KeepsTheCopiesEqual) {
  const char* devices = "cpu:0,opencl:0,reference:0";
  if (!have(devices)) GTEST_SKIP() << devices << " is not available";
  const LossForm form{"", clipped_network, {12, 12, 12, 12}, "", ""};
  EXPECT_THAT(train(form, {.devices = devices, .strategy = "data(3)"}, 5).different_copies, IsEmpty());
}

TEST(Averages, StartAsTheVariablesAndAreLoadedWithThem) {
  const TemporaryFolder folder;
  const std::string file = folder.path("averages.safetensors");
  Session session = compile(clipped_network(8, 3), {.devices = "reference:0"});
  EXPECT_EQ(session.variable("in.weight/average"), session.variable("in.weight"));
  session.train(noise(8, 3, 0));
  EXPECT_NE(session.variable("in.weight/average"), session.variable("in.weight"));
  session.save(file);
  Session again = compile(clipped_network(8, 4), {.devices = "reference:0"});
  EXPECT_TRUE(again.load(file).complete());
  EXPECT_EQ(again.evaluate(noise(8, 3, 1))["logits"], session.evaluate(noise(8, 3, 1))["logits"]);
  // A checkpoint of a graph without averages sets the averages to the variables.
  Graph plain(5);
  Tensor image = plain.input("image", f32, {8, 200});
  plain.output("logits", nn::dense("out", nn::dense("in", image, 24), 10));
  Session without = compile(plain, {.devices = "reference:0"});
  without.save(file);
  EXPECT_FALSE(again.load(file).complete());
  EXPECT_EQ(again.variable("in.weight/average"), without.variable("in.weight"));
  // A graph without averages ignores the averages of a checkpoint.
  session.save(file);
  EXPECT_TRUE(without.load(file).complete());
}

}  // namespace
}  // namespace cutset::testing
