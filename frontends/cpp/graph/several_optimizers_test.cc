// SPDX-License-Identifier: Apache-2.0
// Tests parameter groups, and graphs with several functions that train, against loops in double precision.
#include <cutset/cutset.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/errors.h"
#include "tests/small_training.h"
#include "tests/temporary_folder.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// One variable of AdamW, as in "Decoupled Weight Decay Regularization", algorithm 2.
struct AdamWState {
  double w, m = 0, v = 0;
  int t = 0;
  void step(double gradient, double rate, double decay) {
    ++t;
    w -= rate * decay * w;
    m = 0.9 * m + 0.1 * gradient;
    v = 0.999 * v + 0.001 * gradient * gradient;
    w -= rate * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  }
};

// The loss x1 a + x2 b + x3 c, whose gradients are the inputs.
struct Linear {
  Graph graph;
  Tensor loss;
  Linear() : graph(1) {
    const Tensor x = graph.input("x", f32, {3}, {.batch_dimension = {}});
    const auto part = [&](const char* name, double start, int64_t i) {
      return graph.variable(name, f32, {1}, Initializer::constant(start)) * slice(x, 0, i, i + 1);
    };
    loss = sum(part("a.weight", 0.5, 0) + part("a.bias", -0.25, 1) + part("b.weight", 2, 2));
  }
};
const Batch kGradients{{"x", HostTensor({3}, {0.5f, -1.0f, 0.25f})}};

TEST(ParameterGroups, HaveRatesAndDecaysOfTheirOwn) {
  Linear net;
  net.graph.minimize(net.loss, AdamW{.learning_rate = 0.1, .weight_decay = 0.2},
                     {.groups = {{.variables = {"*.bias"}, .weight_decay = 0, .name = "no_decay"},
                                 {.variables = {"b"}, .learning_rate = 0.01}}});
  Session session = compile(net.graph, {.devices = "reference:0", .f64 = true});
  AdamWState weight{0.5}, bias{-0.25}, other{2};
  for (int step = 0; step < 5; ++step) {
    if (step == 3) session.set_hyper_parameter("no_decay/weight_decay", 0.5);
    if (step == 3) session.set_hyper_parameter("group2/learning_rate", 0.3);
    if (step == 3) session.set_hyper_parameter("learning_rate", 0.05);
    session.train(kGradients);
    const double rate = step < 3 ? 0.1 : 0.05;
    weight.step(0.5, rate, 0.2);
    bias.step(-1, rate, step < 3 ? 0 : 0.5);
    other.step(0.25, step < 3 ? 0.01 : 0.3, 0.2);
  }
  EXPECT_NEAR(session.variable("a.weight").at(0), weight.w, 1e-7);  // hyper-parameters are f32
  EXPECT_NEAR(session.variable("a.bias").at(0), bias.w, 1e-7);
  EXPECT_NEAR(session.variable("b.weight").at(0), other.w, 1e-7);
}

TEST(ParameterGroups, GiveSgdAWeightDecay) {
  Linear net;
  net.graph.minimize(net.loss, {.learning_rate = 0.5},
                     {.groups = {{.variables = {"a"}, .weight_decay = 0.25}}});
  Session session = compile(net.graph, {.devices = "reference:0", .f64 = true});
  session.train(kGradients);
  EXPECT_NEAR(session.variable("a.weight").at(0), 0.5 - 0.5 * (0.5 + 0.25 * 0.5), 1e-12);
  EXPECT_NEAR(session.variable("a.bias").at(0), -0.25 - 0.5 * (-1 + 0.25 * -0.25), 1e-12);
  EXPECT_NEAR(session.variable("b.weight").at(0), 2 - 0.5 * 0.25, 1e-12);
}

TEST(ParameterGroups, FollowTheScheduleOfTheTrainer) {
  Graph grouped(3);
  const Tensor x = grouped.input("x", f32, {4, 2}), label = grouped.input("label", i32, {4});
  const Tensor logits = nn::dense("out", tanh(nn::dense("hidden", x, 5)), 3);
  grouped.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.2},
                   {.groups = {{.variables = {"hidden"}, .learning_rate = 0.05}}});
  Session session = compile(grouped, {.devices = "reference:0"}),
          by_hand = compile(grouped, {.devices = "reference:0"});
  const LearningRateSchedule schedule{
      .kind = LearningRateSchedule::Kind::kLinear, .rate = 0.4, .total_steps = 6};
  Trainer trainer(
      session, testing::small_samples(24),
      {.epochs = 1, .batch = 4, .shuffle = false, .schedule = schedule, .on_note = testing::quiet});
  trainer.run();
  int64_t step = 0;
  for (auto& batch : testing::small_samples(24).batch(4)) {
    const double factor = 1 - static_cast<double>(step++) / 6;
    by_hand.set_hyper_parameter("learning_rate", 0.4 * factor);
    by_hand.set_hyper_parameter("group1/learning_rate", 0.05 * factor);
    by_hand.train(batch);
  }
  ASSERT_EQ(step, 6);
  for (const std::string& name : {"hidden.weight", "out.weight"})
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_NEAR(session.variable(name).at(i), by_hand.variable(name).at(i), 1e-6);
}

// The schedule begins with the rates that minimize() got, whatever rates an earlier run has left. It changes
// the rates of groups only, and no other hyper-parameter with such a name.
TEST(ParameterGroups, FollowEachScheduleFromTheirFirstRates) {
  Graph g(3);
  const Tensor x = g.input("x", f32, {4, 2}), label = g.input("label", i32, {4});
  const Tensor logits = nn::dense("out", tanh(nn::dense("hidden", x, 5)), 3);
  const Tensor scale = g.hyper_parameter("mine/learning_rate", 0.5);
  g.function("evaluate", {x}, {{"logits", logits * scale}});
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.2},
             {.groups = {{.variables = {"hidden"}, .learning_rate = 0.05, .name = "evaluate"}}});
  Session session = compile(g, {.devices = "reference:0"});
  const LearningRateSchedule schedule{
      .kind = LearningRateSchedule::Kind::kLinear, .rate = 0.2, .total_steps = 6};
  for (int run = 0; run < 2; ++run) {
    const HostTensor before = session.variable("hidden.weight");
    Trainer(session, testing::small_samples(24),
            {.epochs = 1, .batch = 4, .schedule = schedule, .on_note = testing::quiet})
        .run();
    EXPECT_NE(session.variable("hidden.weight"), before);
    EXPECT_NEAR(session.hyper_parameter("evaluate/learning_rate"), 0.05 / 6, 1e-6);
    EXPECT_EQ(session.hyper_parameter("mine/learning_rate"), 0.5);
  }
  const LearningRateSchedule none{.rate = 0};
  EXPECT_THAT(error_of([&] { Trainer(session, testing::small_samples(24), {.batch = 4, .schedule = none}); }),
              HasSubstr("the schedule has the rate 0"));
}

TEST(ParameterGroups, RefuseWhatDoesNotFit) {
  const auto refuses = [](const char* text, const Optimizer& optimizer, const MinimizeOptions& options) {
    Linear net;
    EXPECT_THAT(error_of([&] { net.graph.minimize(net.loss, optimizer, options); }), HasSubstr(text));
    net.graph.minimize(net.loss, optimizer);  // nothing is left of the call
    compile(net.graph, {.devices = "reference:0"}).train(kGradients);
  };
  refuses("'c' names no trainable variable", Adam{}, {.groups = {{.variables = {"c"}, .weight_decay = 1}}});
  refuses("'group1' changes no hyper-parameter", Adam{}, {.groups = {{.variables = {"a"}}}});
  refuses("'g' has no variables", Adam{}, {.groups = {{.variables = {}, .weight_decay = 1, .name = "g"}}});
  refuses("'a.bias' is in the parameter group 'group2' and in one before it", Adam{},
          {.groups = {{.variables = {"a"}, .weight_decay = 1}, {.variables = {"*bias"}, .weight_decay = 1}}});
  refuses("hyper-parameter 'group1/weight_decay' is -1", Adam{},
          {.groups = {{.variables = {"a"}, .weight_decay = -1}}});
  refuses("'group1/learning_rate' is nan", Adam{},
          {.groups = {{.variables = {"a"}, .learning_rate = std::nan("")}}});
  refuses("'b' names no trainable variable", Adam{},
          {.variables = {"a"}, .groups = {{.variables = {"b"}, .learning_rate = 1}}});
  refuses("there is a hyper-parameter 'g/learning_rate' already", Adam{},
          {.groups = {{.variables = {"a"}, .learning_rate = 1, .name = "g"},
                      {.variables = {"b"}, .learning_rate = 1, .name = "g"}}});
  refuses("a character that is not allowed", Adam{},
          {.groups = {{.variables = {"a"}, .learning_rate = 1, .name = "*"}}});
  refuses("names no trainable variable", Adam{}, {.variables = {"x"}});
  refuses("cannot be named 'graph'", Adam{}, {.function = "graph"});
  refuses("cannot make the function 'evaluate'", Adam{}, {.function = "evaluate"});
  refuses("because a variable has that name", Adam{}, {.function = "a.bias"});
}

// Two players: @d minimizes (d x - g z)^2 + d^2, and @g minimizes (g z - d)^2.
struct Players {
  Graph graph;
  Players(const Optimizer& first, const Optimizer& second) : graph(1) {
    const Tensor x = graph.input("x", f32, {2}), z = graph.input("z", f32, {2});
    const Tensor d = graph.variable("d.w", f32, {}, Initializer::constant(0.5));
    const Tensor g = graph.variable("g.w", f32, {}, Initializer::constant(-0.75));
    const auto squared = [](const Tensor& t) { return mean(t * t); };
    graph.output("dx", mean(d * x));
    graph.minimize(squared(d * x - g * z) + d * d, first, {.variables = {"d"}, .function = "train_d"});
    graph.minimize(squared(g * z - d), second, {.variables = {"g"}, .function = "train_g"});
  }
};
const Batch kBoth{{"x", HostTensor({2}, {1.0f, -0.5f})}, {"z", HostTensor({2}, {0.25f, 2.0f})}};
const Batch kNoise{{"z", HostTensor({2}, {0.25f, 2.0f})}};

TEST(SeveralOptimizers, TrainTheirVariablesInTurn) {
  Players players(Sgd{.learning_rate = 0.1, .momentum = 0.5}, AdamW{.learning_rate = 0.05});
  Session session = compile(players.graph, {.devices = "reference:0", .f64 = true});
  EXPECT_THAT(session.functions(), UnorderedElementsAre("evaluate", "train_d", "train_g"));
  double d = 0.5, velocity = 0;
  AdamWState g{-0.75};
  const double x[] = {1, -0.5}, z[] = {0.25, 2};
  for (int step = 0; step < 4; ++step) {
    double loss = d * d, gradient = 2 * d;
    for (int i = 0; i < 2; ++i) {
      const double difference = d * x[i] - g.w * z[i];
      loss += difference * difference / 2;
      gradient += difference * x[i];
    }
    EXPECT_NEAR(session.run("train_d", kBoth).at("loss").at(0), loss, 1e-9);
    velocity = 0.5 * velocity + gradient;
    d -= 0.1 * velocity;
    EXPECT_NEAR(session.variable("d.w").at(0), d, 1e-7);
    EXPECT_NEAR(session.variable("g.w").at(0), g.w, 1e-7);
    double of_g = 0;
    for (int i = 0; i < 2; ++i) of_g += (g.w * z[i] - d) * z[i];
    session.run("train_g", kNoise);  // needs no x
    g.step(of_g, 0.05, 0.01);
    EXPECT_NEAR(session.variable("g.w").at(0), g.w, 1e-7);
    EXPECT_NEAR(session.variable("d.w").at(0), d, 1e-7);
  }
  EXPECT_EQ(session.step(), 8u);
  EXPECT_EQ(session.hyper_parameter("train_d/momentum"), 0.5);
  session.set_hyper_parameter("train_d/learning_rate", 0);
  session.run("train_d", kBoth);
  EXPECT_NEAR(session.variable("d.w").at(0), d, 1e-7);
}

TEST(SeveralOptimizers, KeepTheirStatesInCheckpoints) {
  const TemporaryFolder folder;
  Players players(Adam{}, Adam{.learning_rate = 0.1});
  Session session = compile(players.graph, {.devices = "reference:0"});
  session.run("train_d", kBoth);
  session.run("train_g", kNoise);
  EXPECT_THAT(session.variables(),
              ::testing::IsSupersetOf({"d.w/train_d/first_moment", "g.w/train_g/first_moment"}));
  const std::string path = folder.path("c.safetensors");
  session.save(path);
  const HostTensor saved = session.variable("d.w");
  Session again = compile(players.graph, {.devices = "reference:0"});
  EXPECT_TRUE(again.load(path).complete());
  session.run("train_d", kBoth);
  session.run("train_g", kNoise);
  again.run("train_d", kBoth);
  again.run("train_g", kNoise);
  EXPECT_EQ(testing::variables_of(session), testing::variables_of(again));
  // A graph without these optimizers recognizes the states of the optimizers in the file, and leaves them
  // out.
  Graph inference;
  const Tensor d = inference.variable("d.w", f32, {}, Initializer::zeros());
  inference.output("y", d + inference.variable("g.w", f32, {}, Initializer::zeros()));
  Session plain = compile(inference, {.devices = "reference:0"});
  plain.load(path);
  EXPECT_EQ(plain.variable("d.w"), saved);
}

TEST(SeveralOptimizers, RefuseANameTwice) {
  Players players(Adam{}, Adam{});
  Graph& g = players.graph;
  const Tensor loss = g.variable("d.w") * 2;
  EXPECT_ERROR_HERE("minimize made the function 'train_d' before",
                    g.minimize(loss, Adam{}, {.function = "train_d"}));
  EXPECT_ERROR_HERE("there is a function 'train_d' already", g.function("train_d", {}, {{"y", loss}}));
  EXPECT_ERROR_HERE("there is no variable 'd.v'", g.variable("d.v"));
  g.minimize(loss, Adam{});
  EXPECT_ERROR_HERE("minimize made the function 'train' before", g.minimize(loss, Adam{}));
  EXPECT_THAT(compile(g, {.devices = "reference:0"}).functions(),
              UnorderedElementsAre("train", "evaluate", "train_d", "train_g"));
}

}  // namespace
}  // namespace cutset
