// SPDX-License-Identifier: Apache-2.0
// Tests explain, dump and plan with a user's graph, and the errors of invalid options and pins.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <cutset/losses.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "ir/core/result.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;

std::string here(int line) { return "explain_test.cc:" + std::to_string(line); }

// `pinned`: the second layer and the loss are on sim:0.
Graph dense_model(bool pinned = false) {
  Graph g(3);
  Tensor x = g.input("x", f32, {8, 6}), y = g.input("y", i32, {8});
  Tensor h;
  {
    NameScope scope(g, "first");
    h = tanh(nn::dense("fc1", x, 5));
  }
  std::optional<DeviceScope> there;
  if (pinned) there.emplace(g, "sim:0");
  g.minimize(mean(softmax_cross_entropy(nn::dense("fc2", h, 3), y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

TEST(Explain, SaysWhyEachOpOfAUsersGraphIsWhereItIs) {
  const Explained e = explain(dense_model(true), {.devices = "reference:0,sim:0"});
  EXPECT_EQ(e.function, "train");
  EXPECT_EQ(e.strategy, "model");
  ASSERT_FALSE(e.ops.empty());
  for (const Explanation& op : e.ops) {
    EXPECT_EQ(op.function, "train");
    EXPECT_FALSE(op.device.empty()) << op.op;
    EXPECT_FALSE(op.reason.empty()) << op.op;
    EXPECT_THAT(op.source, HasSubstr("explain_test.cc:"));
    EXPECT_GT(op.id, 0) << op.op;
    ASSERT_EQ(op.candidates.size(), 2u);
    EXPECT_EQ(op.candidates[0].device, "reference:0");
    EXPECT_TRUE(!op.candidates[0].kernel.empty() || !op.candidates[0].refusal.empty());
  }
  ASSERT_FALSE(e.transfers.empty());
  for (const ExplainedTransfer& t : e.transfers) EXPECT_GT(t.bytes, 0);
  ASSERT_EQ(e.memory.size(), 2u);
  EXPECT_GT(e.memory[0].variables + e.memory[1].variables, 0u);
}

TEST(Explain, NarrowsToAnOpALayerOrAnId) {
  const Graph g = dense_model();
  const CompileOptions options = {.devices = "reference:0"};
  for (const Explanation& op : explain(g, options, "tanh").ops) EXPECT_EQ(op.op, "tanh");
  const auto all = explain(g, options).ops;
  EXPECT_LT(explain(g, options, "tanh").ops.size(), all.size());
  for (const Explanation& op : explain(g, options, std::to_string(all[0].id)).ops)
    EXPECT_EQ(op.id, all[0].id);
  EXPECT_THAT(error_of([&] { explain(g, options, "nothing"); }),
              HasSubstr("no op, layer or id 'nothing' in 'train' (layers: "));
}

TEST(Explain, SaysWhichOpEndedTheSplitOfTheBatch) {
  Graph g(3);
  Tensor x = g.input("x", f32, {3, 8, 4}, {.batch_dimension = 1});
  const int line = __LINE__ + 1;
  Tensor merged = reshape(x, {.shape = {24, 4}});
  Tensor w = g.variable("w", f32, {4, 2}, Initializer::uniform(-1, 1));
  g.minimize(mean(tanh(matmul(merged, w))), {});
  const CompileOptions options = {.devices = "reference:0,sim:0", .strategy = "data(2)"};
  int whole = 0;
  for (const Explanation& op : explain(g, options).ops)
    if (op.op == "matmul" || op.op == "tanh") {
      EXPECT_THAT(op.whole,
                  AllOf(HasSubstr("'reshape' (" + here(line) + ")"), HasSubstr("dimension 1 of operand 0")));
      ++whole;
    }
  EXPECT_GE(whole, 2);
  EXPECT_THAT(compile(g, options).log("place"),
              HasSubstr("not split by the batch: 'reshape' (" + here(line)));
  // Explanation::whole is empty for an op that is split by the batch.
  for (const Explanation& op : explain(dense_model(), options).ops) EXPECT_EQ(op.whole, "") << op.op;
}

// Returns the notes of a compilation, which equal the notes of explain().
std::vector<std::string> notes_of(const Graph& g, const std::string& strategy) {
  std::vector<std::string> notes;
  CompileOptions options{.devices = "reference:0,sim:0", .strategy = strategy};
  options.on_note = [&](const std::string& note) { notes.push_back(note); };
  compile(g, options);
  EXPECT_EQ(explain(g, options).notes, notes);
  return notes;
}

TEST(Notes, NameTheOpThatEndsTheSplitOnce) {
  Graph g(1);
  Tensor x = g.input("x", f32, {8, 3}), y = nn::dense("fc", x, 3);
  const int line = __LINE__ + 1;
  Tensor mixed = reshape(y, {.shape = {12, 2}});
  g.minimize(mean(exp(mixed) * mixed), {.learning_rate = 0.1});
  const auto notes = notes_of(g, "data(2, shares=5:3)");
  ASSERT_FALSE(notes.empty());
  EXPECT_THAT(
      notes[0],
      AllOf(HasSubstr("in 'train', each of the 2 replicas computes 'reshape' (" + here(line) + "), and "),
            HasSubstr("ops that depend on it, for the whole batch: 'reshape' (" + here(line) + ") ")));
  EXPECT_EQ(notes_of(dense_model(), "data(2, shares=5:3)"), std::vector<std::string>{});
}

Graph normalized(int layers, bool ignores_labels) {
  Graph g(1);
  Tensor h = g.input("x", f32, {8, 6}), label = g.input("label", i32, {8});
  h = nn::dense("first", h, 6);
  for (int i = 0; i < layers; ++i)
    h = tanh(nn::batch_norm("bn" + std::to_string(i), nn::dense("fc" + std::to_string(i), h, 6)));
  g.minimize(
      ignores_labels ? cross_entropy(h, label, {.ignore_index = 1}) : mean(softmax_cross_entropy(h, label)),
      {.learning_rate = 0.1});
  return g;
}

TEST(Notes, NameTheLayersAtWhichMicroBatchesWait) {
  const auto notes = notes_of(normalized(3, false), "pipeline(2, micro_batches=2)");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], AllOf(HasSubstr("in 'train', 3 layers need a sum over the whole batch"),
                              HasSubstr("of bn0 (explain_test.cc:")));
  EXPECT_EQ(notes_of(normalized(3, false), "data(2)"), std::vector<std::string>{});
  EXPECT_EQ(notes_of(normalized(0, true), "pipeline(2, micro_batches=2)"), std::vector<std::string>{})
      << "the number of labels is known before the first layer";
}

// A step runs the actions in parts, and the plan says which action is in which part.
TEST(Notes, OfAPlanSayInWhichRoundsActionsRun) {
  CompileOptions options{.devices = "reference:0,sim:0", .strategy = "pipeline(2, micro_batches=2)"};
  options.on_note = [](const std::string&) {};
  const std::string text = plan(normalized(2, false), options);
  const size_t rounds = text.find("\n# sums over the whole batch divide a step of 'train' into ");
  ASSERT_NE(rounds, std::string::npos);
  EXPECT_LT(text.find("\nschedule 2\n"), rounds);
  EXPECT_THAT(text, HasSubstr(": forward of stage 0\n"));
  EXPECT_THAT(text, HasSubstr("backward of stage"));
  options.plan = text;
  EXPECT_EQ(plan(normalized(2, false), options), text);
  options.plan.reset();
  EXPECT_THAT(plan(normalized(0, false), options), Not(HasSubstr("round ")));
}

TEST(Dump, GivesEveryPhaseOfAUsersGraph) {
  const Graph g = dense_model(true);
  const CompileOptions options = {.devices = "reference:0,sim:0"};
  EXPECT_THAT(dump(g, options, "import").mlir, Not(HasSubstr("cutset.sgd")));
  EXPECT_THAT(dump(g, options, "differentiate").mlir, HasSubstr("cutset.sgd"));
  EXPECT_THAT(dump(g, options, "place").placement_log, HasSubstr("explain_test.cc:"));
  const Dump last = dump(g, options);
  EXPECT_THAT(last.mlir, HasSubstr("cutset.send"));
  EXPECT_THAT(last.kernel_log, HasSubstr("dispatch: "));
  EXPECT_THAT(last.drawings.ops, HasSubstr("digraph"));
  EXPECT_THAT(error_of([&] { dump(g, options, "paint"); }), HasSubstr("unknown phase 'paint'"));
}

TEST(Options, OutsideOfTheirLimitsAreErrors) {
  const Graph g = dense_model();
  auto refused = [&](const CompileOptions& options) { return error_of([&] { compile(g, options); }); };
  EXPECT_THAT(refused({.devices = "reference:0", .threads = -1}),
              HasSubstr("CompileOptions::threads is -1, which is not from 0 to 1024"));
  EXPECT_THAT(refused({.devices = "reference:0", .threads = 100000}), HasSubstr("threads is 100000"));
  EXPECT_THAT(refused({.devices = "reference:0", .bucket_bytes = -5}),
              HasSubstr("CompileOptions::bucket_bytes is -5"));
  EXPECT_THAT(refused({.devices = ""}), AllOf(HasSubstr("no device"), Not(HasSubstr("--"))));
  EXPECT_THAT(refused({.devices = "reference:0,sim:0", .strategy = "one_device"}), Not(HasSubstr("--")));
  EXPECT_THAT(refused({.devices = "reference:0", .strategy = "nonsense"}),
              HasSubstr("unknown strategy 'nonsense'"));
  EXPECT_THAT(refused({.devices = "reference:0", .dump_directory = "/proc/nowhere"}),
              HasSubstr("/proc/nowhere"));
}

TEST(Pins, WithReplicasAreAnErrorAtTheUsersLine) {
  Graph g(3);
  Tensor x = g.input("x", f32, {8, 6});
  Tensor w = g.variable("w", f32, {6}, Initializer::uniform(-1, 1)), y;
  int line = 0;
  {
    DeviceScope on(g, "sim:0");
    line = __LINE__ + 1;
    y = tanh(x * w);
  }
  g.minimize(mean(y), {});
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "reference:0,sim:0", .strategy = "data(2)"}); }),
              AllOf(HasSubstr(here(line)), HasSubstr("is pinned to \"sim:0\""), HasSubstr("2 replicas")));
}

TEST(Inputs, WithoutABatchAxisAreWholeInEveryReplica) {
  auto build = [](std::optional<int> batch) {
    Graph g(3);
    Tensor x = g.input("x", f32, {8, 6}), mask = g.input("mask", f32, {3, 6}, {.batch_dimension = batch});
    Tensor w = g.variable("w", f32, {3, 6}, Initializer::uniform(-1, 1));
    g.minimize(mean(tanh(matmul(x, w * mask, {.transpose_y = true}))), {.learning_rate = 0.5});
    return g;
  };
  Batch batch;
  HostTensor x({f32, {8, 6}}), mask({f32, {3, 6}});
  for (int i = 0; i < 48; ++i) x.as<float>()[i] = 0.1f * static_cast<float>(i % 7);
  for (int i = 0; i < 18; ++i) mask.as<float>()[i] = static_cast<float>(i % 2);
  batch.emplace("x", x);
  batch.emplace("mask", mask);
  Session one = compile(build({}), {.devices = "reference:0"});
  Session two = compile(build({}), {.devices = "reference:0,sim:0", .strategy = "data(2, shares=5:3)"});
  for (int step = 0; step < 4; ++step) {
    const double a = one.run("train", batch)["loss"].item<double>(),
                 b = two.run("train", batch)["loss"].item<double>();
    EXPECT_NEAR(a, b, 1e-6) << step;
  }
  EXPECT_THAT(error_of([&] { compile(build(0), {.devices = "reference:0,sim:0", .strategy = "data(2)"}); }),
              AllOf(HasSubstr("explain_test.cc:"), HasSubstr("inputs of 8 and 3 rows"),
                    HasSubstr("input 'mask' has 3 rows"), HasSubstr("std::nullopt")));
}

TEST(Variables, AsLargeAsTheBatchAreUpdatedWhole) {
  auto build = [] {
    Graph g(3);
    Tensor x = g.input("x", f32, {6, 4});
    Tensor w = g.variable("w", f32, {6, 4}, Initializer::uniform(-1, 1));
    g.minimize(mean(tanh(x * w)), {.learning_rate = 0.5, .momentum = 0.5});
    return g;
  };
  Batch batch;
  HostTensor x({f32, {6, 4}});
  for (int i = 0; i < 24; ++i) x.as<float>()[i] = 0.3f * static_cast<float>(i % 5) - 0.4f;
  batch.emplace("x", x);
  Session one = compile(build(), {.devices = "reference:0"});
  Session two = compile(build(), {.devices = "reference:0,sim:0", .strategy = "data(2)"});
  for (int step = 0; step < 4; ++step)
    EXPECT_NEAR(one.run("train", batch)["loss"].item<double>(),
                two.run("train", batch)["loss"].item<double>(), 1e-6);
  const HostTensor a = one.variable("w"), b = two.variable("w", 1);
  for (int i = 0; i < 24; ++i) EXPECT_NEAR(a.as<float>()[i], b.as<float>()[i], 1e-6) << i;
}

TEST(Variables, ThatCannotBeDrawnAreErrorsAtTheUsersLineAndLeaveNothingBehind) {
  Graph g;
  const int line = __LINE__ + 1;
  const std::string error = error_of([&] { g.variable("w", f32, {4}, Initializer::uniform(1, 0)); });
  EXPECT_THAT(error, AllOf(HasSubstr(here(line)), HasSubstr("variable 'w'")));
  EXPECT_THAT(error_of([&] { g.variable("w", f32, {4}, Initializer::normal(0, -1)); }),
              HasSubstr(here(__LINE__)));
  EXPECT_THAT(error_of([&] { g.variable("w", f32, {4}, Initializer::normal(NAN, 1)); }),
              HasSubstr(here(__LINE__)));
  EXPECT_THAT(error_of([&] { g.variable("w", i32, {4}, Initializer::uniform(0, 1)); }),
              HasSubstr(here(__LINE__)));
  EXPECT_THAT(error_of([&] { g.variable("w", f32, {-4}, Initializer::zeros()); }), HasSubstr(here(__LINE__)));
  EXPECT_THAT(error_of([&] { g.input("x", f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}); }),
              AllOf(HasSubstr("explain_test.cc:"), HasSubstr("input 'x': rank 9")));
  for (const char* name : {"train", "evaluate", "graph"})
    EXPECT_THAT(error_of([&] { g.variable(name, f32, {4}, Initializer::zeros()); }),
                AllOf(HasSubstr("explain_test.cc:"), HasSubstr("a function has that name")));
  Tensor w = g.variable("w", f32, {4}, Initializer::uniform(0, 1));  // the name is still free
  g.output("sum", sum(w * g.input("x", f32, {4})));
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "reference:0"}); }), HasSubstr("no error"));
}

}  // namespace
}  // namespace cutset
