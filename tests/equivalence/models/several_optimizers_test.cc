// SPDX-License-Identifier: Apache-2.0
// Trains a generative adversarial network, whose two optimizers take turns, under strategies and on one
// device, in f64. The discriminator is called for real and for generated samples, and both networks have
// batch normalizations.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <cutset/saved.h>
#include <cutset/verify.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/small_training.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

constexpr int64_t kRows = 12, kNoise = 4, kFeatures = 6;

Graph adversaries(bool trains_generator = true) {
  Graph g(5);
  const Tensor real = g.input("real", f32, {kRows, kFeatures}),
               noise = g.input("noise", f32, {kRows, kNoise});
  const nn::Shared discriminator([](const Tensor& x) {
    const Tensor h = nn::batch_norm("d.norm", nn::dense("d.in", x, 8, {.bias = false}));
    return nn::dense("d.out", tanh(h), 1);
  });
  const Tensor h = nn::batch_norm("g.norm", nn::dense("g.in", noise, 8, {.bias = false}));
  const Tensor made = nn::dense("g.out", tanh(h), kFeatures);
  const auto loss_of = [](const Tensor& logits, double sign) { return mean(softplus(sign * logits)); };
  const Tensor of_real = discriminator(real), of_made = discriminator(made);
  g.function("sample", {noise}, {{"made", made}});
  g.minimize(loss_of(of_real, -1) + loss_of(of_made, 1), Adam{.learning_rate = 0.02},
             {.variables = {"d"},
              .function = "train_d",
              .groups = {{.variables = {"*.bias"}, .learning_rate = 0.05}}});
  if (trains_generator)
    g.minimize(loss_of(of_made, -1), Sgd{.learning_rate = 0.05, .momentum = 0.9},
               {.variables = {"g"}, .function = "train_g"});
  return g;
}

HostTensor samples(const Shape& shape, double seed) {
  HostTensor t({f32, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, std::sin(seed + 0.7 * static_cast<double>(i * i % 97)));
  return t;
}

// The losses of some turns, and the variables after them. The last turns have fewer rows.
struct Turns {
  std::vector<double> losses;
  std::map<std::string, HostTensor> variables;
};
Turns take_turns(const CompileOptions& options, bool smaller = true) {
  CompileOptions in_f64 = options;
  in_f64.f64 = true;
  Session session = compile(adversaries(), in_f64);
  Turns turns;
  for (int step = 0; step < 4; ++step) {
    const int64_t rows = smaller && step == 3 ? kRows - 4 : kRows;
    const HostTensor noise = samples({rows, kNoise}, step);
    const Batch both{{"real", samples({rows, kFeatures}, 9 - step)}, {"noise", noise}};
    turns.losses.push_back(session.run("train_d", both).at("loss").at(0));
    turns.losses.push_back(session.run("train_g", {{"noise", noise}}).at("loss").at(0));
  }
  turns.variables = variables_of(session);
  return turns;
}

void expect_same(const Turns& expected, const Turns& got) {
  ASSERT_EQ(expected.losses.size(), got.losses.size());
  for (size_t i = 0; i < got.losses.size(); ++i)
    EXPECT_NEAR(expected.losses[i], got.losses[i], 1e-12) << "turn " << i;
  ASSERT_EQ(expected.variables.size(), got.variables.size());
  for (const auto& [name, value] : expected.variables) {
    const HostTensor& other = got.variables.at(name);
    ASSERT_EQ(value.type(), other.type()) << name;
    for (int64_t i = 0; i < value.elements(); ++i)
      EXPECT_NEAR(value.at(i), other.at(i), 1e-11) << name << " element " << i;
  }
}

struct Way {
  const char *name, *devices, *strategy;
};
class Adversaries : public ::testing::TestWithParam<Way> {};
TEST_P(Adversaries, TakeTurnsAsOnOneDevice) {
  static const Turns expected = take_turns({.devices = "reference:0"});
  EXPECT_NE(expected.losses[0], expected.losses[2]);
  expect_same(expected, take_turns({.devices = GetParam().devices, .strategy = GetParam().strategy}));
}
constexpr const char *kTwo = "reference:0,reference:1",
                     *kFour = "reference:0,reference:1,reference:2,reference:3";
INSTANTIATE_TEST_SUITE_P(Strategies, Adversaries,
                         ::testing::Values(Way{"model", kTwo, "model"}, Way{"data", kTwo, "data(2)"},
                                           Way{"shares", kTwo, "data(2, shares=3:1)"},
                                           Way{"optimizer", kTwo, "data(2, shard=optimizer)"},
                                           Way{"parameters", kTwo, "data(2, shard=parameters)"},
                                           Way{"tensor", kTwo, "tensor(2)"},
                                           Way{"pipeline", kTwo, "pipeline(2, micro_batches=2)"},
                                           Way{"accumulation", "reference:0", "pipeline(1, micro_batches=3)"},
                                           Way{"product", kFour, "data(2) * tensor(2)"}),
                         [](const auto& info) { return info.param.name; });

// Each step updates only the running statistics of the batches that it normalizes. The generator's step calls
// the discriminator for generated samples only.
TEST(Adversaries, MoveTheStatisticsThatTheyUse) {
  const auto statistic = [](const Session& session, const char* name) { return session.variable(name); };
  Session one = compile(adversaries(), {.devices = "reference:0", .f64 = true});
  const HostTensor noise = samples({kRows, kNoise}, 1), real = samples({kRows, kFeatures}, 1);
  const HostTensor weight = one.variable("d.in.weight");
  // Returns the mean, over a batch, of element `unit` of the first layer of the discriminator.
  const auto mean_of = [&](const HostTensor& batch, int64_t unit) {
    double sum = 0;
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t i = 0; i < kFeatures; ++i)
        sum += batch.at(row * kFeatures + i) * weight.at(unit * kFeatures + i);
    return sum / kRows;
  };
  const HostTensor before = statistic(one, "g.norm.running_mean");
  one.run("train_g", {{"noise", noise}});
  const HostTensor once = statistic(one, "d.norm.running_mean");
  EXPECT_NE(once, HostTensor(once.type()));
  EXPECT_NE(statistic(one, "g.norm.running_mean"), before);
  // train_d of another session updates the mean twice: 0.9 (0.1 real) + 0.1 generated.
  Session other = compile(adversaries(), {.devices = "reference:0", .f64 = true});
  other.run("train_d", {{"noise", noise}, {"real", real}});
  const HostTensor twice = statistic(other, "d.norm.running_mean");
  for (int64_t unit = 0; unit < 8; ++unit)
    EXPECT_NEAR(twice.at(unit), 0.9 * 0.1 * mean_of(real, unit) + once.at(unit), 1e-9) << unit;
}

// A variable stays whole if one of the functions cannot divide its update.
TEST(Adversaries, KeepVariablesWholeThatOneOptimizerNeedsWhole) {
  const auto losses = [](const char* devices, const char* strategy) {
    Graph g(2);
    const Tensor x = g.input("x", f32, {4, 8});
    const Tensor y = mean(pow(nn::dense("b", tanh(nn::dense("a", x, 8)), 8) - x, 2));
    g.minimize(y, Sgd{.learning_rate = 0.1}, {.function = "train_d"});
    g.minimize(y, Lamb{.learning_rate = 0.1}, {.function = "train_g"});
    Session session = compile(g, {.devices = devices, .strategy = strategy, .f64 = true});
    std::vector<double> all;
    for (int step = 0; step < 4; ++step)
      all.push_back(
          session.run(step % 2 ? "train_g" : "train_d", {{"x", samples({4, 8}, 1)}}).at("loss").at(0));
    return all;
  };
  const std::vector<double> expected = losses("reference:0", "");
  for (const char* strategy : {"tensor(2)", "data(2, shard=parameters)"})
    EXPECT_THAT(losses(kTwo, strategy), ::testing::Pointwise(::testing::DoubleNear(1e-12), expected))
        << strategy;
}

// Each function adds ops and edges: the same graph with one optimizer has fewer of them.
TEST(Adversaries, AreVerified) {
  const Batch both{{"real", samples({kRows, kFeatures}, 1)}, {"noise", samples({kRows, kNoise}, 2)}};
  const std::vector<Batch> batches = {both, both};
  const auto verified = [&](const Graph& graph) {
    const VerifyResult result = verify(graph, {.devices = kTwo, .strategy = "data(2)"}, batches);
    EXPECT_TRUE(result.same) << result.first;
    return result.edges;
  };
  const int64_t with_d = verified(adversaries(false)), with_both = verified(adversaries());
  EXPECT_GT(with_both, with_d + 10);
}

}  // namespace
}  // namespace cutset::testing
