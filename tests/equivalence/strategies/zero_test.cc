// SPDX-License-Identifier: Apache-2.0
// Tests ZeRO. Replicas that hold pieces of variables and of optimizer states train as one device does. They
// hold and receive fewer bytes than replicas with copies.
#include <cutset/explain.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/program/check/check_program.h"
#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

Program compiled(const Graph& graph, const std::string& devices, const std::string& strategy) {
  const CompileConfig config = check(configure({.devices = devices, .strategy = strategy}));
  Program program = check(graph.state()->builder->snapshot()->compile(config)).program;
  EXPECT_TRUE(check_program(program).ok()) << check_program(program).error().what;
  return program;
}

class Zero : public ::testing::TestWithParam<Split> {};

TEST_P(Zero, TrainsAsOneDevice) {
  const auto& [devices, strategy] = GetParam();
  for (const auto& graph : {attention_loss, normalized_loss}) {
    if (graph == normalized_loss && std::string(strategy).find("pipeline") != std::string::npos) continue;
    const LossForm form{
        "", graph, {13, 13, 5, 1}, "", ""};  // a batch of one row leaves most replicas without samples
    expect_as_on_one_device(form, std::array{GetParam()});
  }
}

TEST_P(Zero, IsVerified) {
  const auto& [devices, strategy] = GetParam();
  EXPECT_SAME_ON(attention_loss(13, 7), devices, strategy);
}

TEST_P(Zero, DividesEveryVariableThatIsLargeEnough) {
  const auto& [devices, strategy] = GetParam();
  const Program p = compiled(attention_loss(13, 7), devices, strategy);
  // There is one piece per device of a tensor axis and per replica.
  const int64_t copies = check(fit_strategy(strategy, p.devices.size())).copies();
  size_t divided = 0;
  for (const Variable& v : p.variables) {
    const bool fits =
        std::any_of(v.type.shape.begin(), v.type.shape.end(), [&](int64_t size) { return size >= copies; });
    EXPECT_EQ(v.pieces, fits ? copies : 1) << v.name;
    divided += v.pieces > 1 && !v.state_of.empty();
  }
  EXPECT_GT(divided, 0u) << "the test needs an optimizer with states";
}
INSTANTIATE_TEST_SUITE_P(
    Levels, Zero,
    ::testing::Values(
        Split{"sim:0,reference:0,sim:1,reference:1", "data(4, shard=optimizer)"},
        Split{"sim:0,reference:0,sim:1,reference:1", "data(4, shares=5:2:1:0.5, shard=gradients)"},
        Split{"sim:0,reference:0,sim:1,reference:1", "data(4, shares=5:2:1:0.5, shard=parameters)"},
        Split{"sim:0,reference:0,sim:1,reference:1",
              "data(2, shard=gradients) * pipeline(2, micro_batches=1)"},
        Split{"sim:0,reference:0,sim:1,reference:1",
              "data(2, shard=parameters) * pipeline(2, micro_batches=1)"},
        Split{"sim:0,reference:0,sim:1,reference:1",
              "data(2, shard=optimizer) * pipeline(2, micro_batches=3)"},
        Split{"sim:0,reference:0,sim:1,reference:1",
              "data(2, shard=gradients) * pipeline(2, micro_batches=3)"},
        Split{"sim:0,reference:0,sim:1,reference:1",
              "data(2, shard=parameters) * pipeline(2, micro_batches=3)"},
        Split{"sim:0,reference:0,sim:1,reference:1", "data(2, shares=5:2, shard=optimizer) * tensor(2)"},
        Split{"sim:0,reference:0,sim:1,reference:1", "data(2, shard=gradients) * tensor(2)"},
        Split{"sim:0,reference:0,sim:1,reference:1", "data(2, shares=5:2, shard=parameters) * tensor(2)"},
        Split{"sim:0,reference:0,sim:1,reference:1,sim:2,sim:3", "data(2, shard=parameters) * tensor(3)"},
        Split{"sim:0,reference:0,sim:1,reference:1,sim:2,sim:3", "data(3, shard=gradients) * tensor(2)"},
        Split{"sim:0,reference:0,sim:1,reference:1",
              "data(2, shard=gradients) * pipeline(1, micro_batches=3) * tensor(2)"},
        Split{"sim:0,reference:0,sim:1,reference:1,sim:2,sim:3,sim:4,sim:5",
              "data(2, shares=5:2, shard=optimizer) * pipeline(2, micro_batches=2) * tensor(2)"},
        Split{"sim:0,reference:0,sim:1,reference:1,sim:2,sim:3,sim:4,sim:5",
              "data(2, shard=parameters) * model * tensor(2)"}));

// Returns two layers whose weights the user divides along a dimension, or leaves whole. Each of two devices
// of an axis has 12 of 24 rows, and each of three replicas has four of these 12.
Graph two_layers(int64_t batch, uint64_t seed, int dimension) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor up = g.variable("up", f32, {720, 24}, Initializer::uniform(-0.05, 0.05)),
         down = g.variable("down", f32, {24, 12}, Initializer::uniform(-0.3, 0.3));
  if (dimension >= 0) {
    g.shard(up, {"tensor", 1 - dimension});
    g.shard(down, {"tensor", dimension});
  }
  Tensor h = matmul(tanh(matmul(ops::slice(flatten(image), {.axis = 1, .length = 720}), up)), down);
  g.minimize(mean(softmax_cross_entropy(h, label)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}
Graph divided_by_columns_and_rows(int64_t batch, uint64_t seed) { return two_layers(batch, seed, 0); }
Graph divided_by_rows_and_columns(int64_t batch, uint64_t seed) { return two_layers(batch, seed, 1); }

// The replicas divide the piece of an axis again: device k of replica r has piece 3 k + r of the six pieces
// of a weight.
TEST(ZeroWithTensor, DividesThePiecesOfTheAxisAgain) {
  const std::string devices = "sim:0,reference:0,sim:1,reference:1,sim:2,sim:3";
  const std::vector<std::string> order = {"sim:0", "sim:1", "sim:2", "reference:0", "reference:1", "sim:3"};
  for (const char* level : {"optimizer", "gradients", "parameters"}) {
    const std::string strategy = "data(3, shares=3:2:1, shard=" + std::string(level) + ") * tensor(2)";
    for (const auto& graph : {divided_by_columns_and_rows, divided_by_rows_and_columns}) {
      const int rows = graph == divided_by_columns_and_rows ? 0 : 1;
      const Explained explained = explain(graph(7, 7), {.devices = devices, .strategy = strategy});
      ASSERT_EQ(explained.variables.size(), 2u);
      for (const ExplainedVariable& v : explained.variables) {
        EXPECT_EQ(v.pieces, 6) << v.name;
        EXPECT_EQ(v.dimension, v.name == "down" ? rows : 1 - rows) << v.name;
        EXPECT_EQ(v.homes, order) << v.name;
      }
      // Each of six devices has a sixth of the variables, and of the velocities.
      for (const MemoryUse& m : explained.memory) {
        EXPECT_EQ(m.variables, (720 * 24 + 24 * 12) * 4 / 6) << m.device;
        EXPECT_EQ(m.optimizer, m.variables) << m.device;
      }
      const LossForm form{"", graph, {7, 7, 3}, "", ""};
      const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
      const FormRun got = train(form, {.devices = devices, .strategy = strategy, .f64 = true}, 7);
      const FormDifference d = differences(got, want);
      EXPECT_LE(d.loss, 1e-12) << strategy;
      EXPECT_LE(d.change, 1e-12) << strategy;
      EXPECT_SAME_ON(graph(7, 7), devices, strategy);
    }
  }
}

// Over two devices, 10 columns are five per device, which two replicas cannot divide evenly. The axis
// therefore has the weight whole, and all four devices divide it. If the user has fixed the division, the
// error message gives the reason.
TEST(ZeroWithTensor, UnevenPiecesAreNotDividedAgain) {
  const auto graph = [](bool fixed) {
    Graph g(3);
    Tensor x = g.input("x", f32, {4, 6});
    Tensor w = g.variable("w", f32, {6, 10}, Initializer::uniform(-1, 1));
    if (fixed) g.shard(w, {"tensor", 1});
    g.minimize(mean(tanh(matmul(x, w))), {.learning_rate = 0.1, .momentum = 0.9});
    return g;
  };
  const std::string devices = "sim:0,sim:1,reference:0,reference:1",
                    strategy = "data(2, shard=optimizer) * tensor(2)";
  for (const Variable& v : compiled(graph(false), devices, strategy).variables) {
    EXPECT_EQ(v.axis, 1) << v.name;
    EXPECT_EQ(v.pieces, 4) << v.name;
  }
  EXPECT_SAME_ON(graph(false), devices, strategy);
  EXPECT_THAT(
      error_of([&] { compile(graph(true), {.devices = devices, .strategy = strategy}); }),
      ::testing::HasSubstr("the 2 replicas divide the pieces again (shard=), so 4 equal pieces are needed"));
}

// A checkpoint holds whole tensors, which any strategy can load. A new batch size keeps the division.
TEST(ZeroWithTensor, CheckpointsHoldWholeTensors) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pieces_of_pieces.safetensors");
  for (const char* strategy :
       {"data(2, shard=optimizer) * tensor(2)", "data(2, shard=parameters) * tensor(2)"}) {
    const Graph graph = divided_by_columns_and_rows(7, 7);
    Session one = compile(graph, {.devices = "reference:0"}),
            divided =
                compile(graph, {.devices = "sim:0,reference:0,sim:1,reference:1", .strategy = strategy});
    EXPECT_EQ(divided.copies("up"), 1);
    for (const std::string& name : one.variables())
      EXPECT_EQ(one.variable(name), divided.variable(name)) << name;
    for (const int64_t batch : {7, 3, 7}) divided.train(noise(batch, 7, static_cast<uint64_t>(batch)));
    divided.save(path);
    EXPECT_TRUE(one.load(path).complete());
    for (const std::string& name : divided.variables())
      EXPECT_EQ(one.variable(name), divided.variable(name)) << name;
    const double want = one.train(noise(5, 7, 9))["loss"].item<double>();
    EXPECT_NEAR(divided.train(noise(5, 7, 9))["loss"].item<double>(), want, 1e-6);
    one.set_variable("up", one.variable("up"));
    divided.set_variable("up", one.variable("up"));
    EXPECT_EQ(divided.variable("up"), one.variable("up"));
  }
}

TEST(ZeroBits, AreThoseOfOneDeviceIfDeterministic) {
  const LossForm form{"", attention_loss, {13, 13, 5}, "", ""};
  const FormRun want = train(form, {.devices = "reference:0", .deterministic = true}, 7);
  for (const char* strategy : {"data(3, shard=optimizer)", "data(3, shard=gradients)",
                               "data(3, shard=parameters)", "data(3, shares=5:2:1, shard=parameters)",
                               "data(3, shares=3:1:1, shard=gradients) * pipeline(1, micro_batches=2)"}) {
    const FormRun got = train(
        form, {.devices = "reference:0,reference:1,reference:2", .strategy = strategy, .deterministic = true},
        7);
    EXPECT_EQ(got.loss, want.loss) << strategy;
    EXPECT_EQ(got.after, want.after) << strategy;
  }
}

// Returns the bytes that all devices send for a step. An all_reduce over n devices counts as 2 (n - 1) times
// the bytes of its sum.
int64_t bytes_sent(const Program& p) {
  const Function& f = *p.find("train");
  int64_t sent = 0;
  for (const Collective& c : f.collectives)
    sent += 2 * (static_cast<int64_t>(p.devices.size()) - 1) * c.type.bytes();
  for (const Channel& c : f.channels) sent += c.type.bytes();
  return sent;
}

TEST(ZeroMemory, IsThatOfAPiecePerReplica) {
  const std::string devices = "sim:0,sim:1,sim:2,sim:3";
  // Almost all elements are in one matrix, so the padding of buckets has no influence.
  const Graph graph = mean_loss(13, 7);
  const Program copies = compiled(graph, devices, "data(4)"),
                optimizer = compiled(graph, devices, "data(4, shard=optimizer)"),
                gradients = compiled(graph, devices, "data(4, shard=gradients)");
  const auto held = [](const Program& p) {
    int64_t bytes = 0;
    for (const Variable& v : p.variables)
      bytes += static_cast<int64_t>(v.homes.size()) / v.pieces * v.type.bytes();
    return bytes;
  };
  EXPECT_LT(held(optimizer), 0.3 * static_cast<double>(held(copies)));
  EXPECT_EQ(held(gradients), held(optimizer));
  // The pieces of the gradients need half the bytes of an all_reduce, and the pieces of the variables need
  // the other half.
  EXPECT_NEAR(static_cast<double>(bytes_sent(gradients)) / static_cast<double>(bytes_sent(copies)), 1, 0.1);
  EXPECT_NEAR(static_cast<double>(bytes_sent(optimizer)) / static_cast<double>(bytes_sent(copies)), 1.5, 0.1);
}

// Returns a graph of `layers` layers of width x width. The batch is so small that the variables need most of
// the memory.
Graph square_layers(int64_t layers, int64_t width) {
  Graph g(7);
  Tensor x = g.input("image", f32, {4, width}), label = g.input("label", f32, {4, width});
  for (int64_t i = 0; i < layers; ++i)
    x = tanh(
        matmul(x, g.variable("w" + std::to_string(i), f32, {width, width}, Initializer::uniform(-0.1, 0.1))));
  Tensor difference = x - label;
  g.minimize(mean(difference * difference), {.learning_rate = 0.01, .momentum = 0.9});
  return g;
}

TEST(ZeroMemory, OfParametersIsThatOfOneLayer) {
  const std::string devices = "sim:0,sim:1,sim:2,sim:3";
  constexpr int64_t kWidth = 64;
  const auto arena = [&](int64_t layers, const std::string& shard) {
    const Program p = compiled(square_layers(layers, kWidth), devices, "data(4, shard=" + shard + ")");
    return static_cast<double>(p.find("train")->devices[0].arena_bytes) /
           (kWidth * kWidth * 4);  // in variables
  };
  // There are eight more layers. Each whole variable is kept during the whole step, or only in its layer. The
  // activations of a layer, and the sums of its gradient, need little memory.
  EXPECT_GT(arena(12, "optimizer") - arena(4, "optimizer"), 8);
  EXPECT_LT(arena(12, "parameters") - arena(4, "parameters"), 4);
}

}  // namespace
}  // namespace cutset::testing
