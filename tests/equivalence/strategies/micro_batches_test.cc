// SPDX-License-Identifier: Apache-2.0
// Tests micro-batches. A step in several micro-batches gives the results of one device that computes the
// whole batch. Its roles and its memory do not grow with the number of micro-batches.
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "frontends/models/models.h"
#include "runtime/program/order/expand.h"
#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/compiled.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/equivalence/support/runs.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string strategy_of(int64_t micro_batches) {
  return "pipeline(1, micro_batches=" + std::to_string(micro_batches) + ")";
}

// Returns a graph with a sum over the batch that is also a summand of another sum. Its partial sums are
// therefore read twice: by a later round, because an op that is not split needs the number of samples, and by
// another stage.
Graph sum_in_a_later_phase(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor x = flatten(g.input("image", f32, {batch, 1, 28, 28})), y = g.input("label", i32, {batch});
  Tensor mask = cast(y, {.dtype = f32}), count = sum(mask);
  Tensor h = tanh(nn::dense("a", x, 5));
  Tensor loss = sum(sum(h * h, {1}) * mask / (count + ops::full_like(count, {.value = 1})));
  g.output("count", count);
  g.minimize(ops::add_n({count, loss}), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}
Graph sum_in_a_later_stage(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor x = flatten(g.input("image", f32, {batch, 1, 28, 28})), y = g.input("label", i32, {batch});
  Tensor h, first, loss;
  {
    DeviceScope on(g, "sim:0");
    h = tanh(nn::dense("a", x, 5));
    first = sum(h * h);
  }
  {
    DeviceScope on(g, "reference:0");
    loss = ops::add_n({first, sum(softmax_cross_entropy(nn::dense("b", h, 10), y))});
  }
  g.output("first", first);
  g.minimize(loss, {.learning_rate = 0.001, .momentum = 0.9});
  return g;
}

TEST(MicroBatchesOfAGraph, ASumMayBeASummandOfAnotherSum) {
  for (auto* build : {sum_in_a_later_phase, sum_in_a_later_stage}) {
    const LossForm form{"", build, {13, 13, 5}, "", ""};
    const auto options = [](const char* strategy) {
      return CompileOptions{.devices = "sim:0,reference:0", .strategy = strategy, .f64 = true};
    };
    const FormRun want = train(form, options("model"), 7);
    for (const char* strategy :
         {"pipeline(2, micro_batches=3)", "pipeline(2, micro_batches=4, schedule=gpipe)",
          "pipeline(2, micro_batches=4, schedule=zb-h1)"}) {
      const FormDifference d = differences(train(form, options(strategy), 7), want);
      EXPECT_LE(d.loss, 1e-12) << strategy;
      EXPECT_LE(d.change, 1e-12) << strategy;
      EXPECT_SAME_ON(build(13, 7), "sim:0,reference:0", strategy);
      compiled(build(13, 7), strategy, "sim:0,reference:0");
    }
  }
}

// Returns a graph in which each row of the batch has a factor and a summand. They are computed from a
// constant and from a variable, and not from the batch. A micro-batch reads its rows of them.
Graph rows_of_whole_values(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor x = flatten(g.input("image", f32, {batch, 1, 28, 28})), y = g.input("label", i32, {batch});
  HostTensor numbers({f32, {batch, 5}});
  for (int64_t i = 0; i < batch * 5; ++i) numbers.set(i, static_cast<double>(i % 17) / 4 - 2);
  Tensor constant = g.constant(numbers),
         rows = tanh(constant) + g.variable("w", f32, {5}, Initializer::uniform(0, 1));
  Tensor h = tanh(nn::dense("a", x, 5)) * rows + constant;
  g.output("h", h);
  g.minimize(mean(softmax_cross_entropy(nn::dense("b", h, 10), y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

TEST(MicroBatchesOfAGraph, ReadTheirRowsOfWholeValues) {
  const LossForm form{"", rows_of_whole_values, {13, 13, 13}, "", ""};  // the constant has 13 rows
  const Split splits[] = {
      {"sim:0", "pipeline(1, micro_batches=3)"},
      {"sim:0", "pipeline(1, micro_batches=13)"},
      {"sim:0,reference:0", "pipeline(2, micro_batches=4)"},
      {"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=zb-h1)"},
      {"sim:0,reference:0,sim:1,sim:2", "data(2, shares=5:2) * pipeline(2, micro_batches=3)"}};
  expect_as_on_one_device(form, splits);
  for (const Split& split : splits)
    EXPECT_SAME_ON(rows_of_whole_values(13, 7), split.devices, split.strategy);
}

// Returns all forms of losses, each only once: some forms are listed several times with different devices.
std::vector<LossForm> forms() {
  std::vector<LossForm> list;
  for (const LossForm& f : loss_forms())
    if (std::none_of(list.begin(), list.end(),
                     [&](const LossForm& known) { return known.build == f.build; }) &&
        std::string(f.name) != "ops_that_need_the_whole_batch")
      list.push_back(f);
  return list;
}

class MicroBatches : public ::testing::TestWithParam<LossForm> {};

TEST_P(MicroBatches, TrainAsOneBatchDoes) {
  const LossForm& form = GetParam();
  const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
  for (const auto& [devices, strategy] :
       {Split{"sim:0", "pipeline(1, micro_batches=2)"}, Split{"sim:0", "pipeline(1, micro_batches=3)"},
        Split{"sim:0", "pipeline(1, micro_batches=8)"},
        Split{"reference:0,sim:0", "pipeline(2, micro_batches=3)"},
        Split{"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=gpipe)"},
        Split{"sim:0,reference:0,sim:1", "pipeline(3, micro_batches=5)"},
        Split{"sim:0,reference:0,sim:1", "pipeline(3, micro_batches=5, schedule=zb-h1)"},
        Split{"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=interleaved)"},
        Split{"sim:0,reference:0", "data(2, shares=5:2) * pipeline(1, micro_batches=3)"},
        Split{"sim:0,reference:0,sim:1,sim:2,sim:3,reference:1",
              "data(3) * pipeline(2, micro_batches=3, schedule=gpipe)"}}) {
    const FormRun got = train(form, {.devices = devices, .strategy = strategy, .f64 = true}, 7);
    const FormDifference d = differences(got, want);
    EXPECT_LE(d.loss, 1e-12) << strategy;
    EXPECT_LE(d.change, 1e-12) << strategy;
  }
}
TEST_P(MicroBatches, TrainOnATensorAxisAsOneDeviceDoes) {
  const Split splits[] = {{"sim:0,reference:0", "tensor(2)"},
                          {"sim:0,reference:0,sim:1", "tensor(3)"},
                          {"sim:0,reference:0,sim:1,sim:2", "data(2, shares=5:2) * tensor(2)"}};
  expect_as_on_one_device(GetParam(), splits);
}
INSTANTIATE_TEST_SUITE_P(Losses, MicroBatches, ::testing::ValuesIn(forms()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MicroBatchesOfAGraph, OpsThatNeedAllRowsAreRefusedWithTheirLines) {
  Graph g(7);
  Tensor x = g.input("x", f32, {8, 4}), w = g.variable("w", f32, {4}, Initializer::uniform(-1, 1));
  Tensor largest = ops::reduce_max(x * w, {.axes = {0}});
  g.minimize(sum(x * largest), {});
  EXPECT_THAT(
      refusal_of(g, {.devices = "reference:0", .strategy = strategy_of(2)}),
      ContainsRegex(
          "micro_batches_test.cc:[0-9]+: .*'cutset.reduce_max' op needs the rows of all micro-batches at "
          "once, and the rows are computed by 'mul' .*micro_batches_test.cc:[0-9]+"));
  EXPECT_THAT(refusal_of(mean_loss(13, 1),
                         {.devices = "reference:0", .strategy = strategy_of(9), .deterministic = true}),
              HasSubstr("cannot be divided into 9 micro-batches: `deterministic` divides it into 8 shards"));
}

TEST(MicroBatchesOfAGraph, RowsOfAnOutputLieWhereTheSamplesDo) {
  const Batch batch = noise(13, 4, 0);
  Session one = compile(mean_loss(13, 7), {.devices = "reference:0"});
  for (const int64_t count : {2, 4, 13, 50}) {
    Session many = compile(mean_loss(13, 7), {.devices = "sim:0", .strategy = strategy_of(count)});
    EXPECT_EQ(one.run("evaluate", batch).at("logits"), many.run("evaluate", batch).at("logits")) << count;
  }
  Graph g(1);  // no op computes the output
  Tensor x = g.input("x", f32, {5, 2});
  g.output("same", x);
  HostTensor values({f32, {5, 2}});
  for (int64_t i = 0; i < 10; ++i) values.set(i, static_cast<double>(i));
  for (const auto& [devices, strategy] :
       {std::pair("reference:0", strategy_of(2)),
        std::pair("reference:0,sim:0", std::string("pipeline(2, micro_batches=3)"))}) {
    Session echo = compile(g, {.devices = devices, .strategy = strategy});
    EXPECT_EQ(echo.run("evaluate", {{"x", values}}).at("same"), values) << strategy;
  }
  Graph more(1);  // the input is also an output, which the second stage does not return
  Tensor y = more.input("x", f32, {5, 2}), h;
  {
    DeviceScope on(more, "reference:0");
    h = tanh(y);
  }
  {
    DeviceScope on(more, "sim:0");
    h = h + y;
  }
  more.output("same", y);
  more.output("sum", h);
  compiled(more, "pipeline(2, micro_batches=3)", "reference:0,sim:0");
}

// Every micro-batch draws the random numbers of its rows, as a whole batch does.
TEST(MicroBatchesOfAGraph, MasksOfRandomOpsAreThoseOfTheWholeBatch) {
  const auto mask_of = [](const std::string& devices, const std::string& strategy) {
    Graph g(5);
    Tensor x = g.input("x", f32, {13, 3, 5});
    Tensor drawn = random_uniform(x, g.step(), {.low = 0, .high = 1, .seed = 9});
    g.output("mask", where(greater(drawn, x * 0.5), x, x * 0.0));
    Session session = compile(g, {.devices = devices, .strategy = strategy});
    HostTensor ones({f32, {13, 3, 5}});
    for (int64_t i = 0; i < ones.type().elements(); ++i) ones.set(i, 1);
    return session.run("evaluate", {{"x", ones}}).at("mask");
  };
  const HostTensor want = mask_of("reference:0", "");
  for (const char* devices : {"sim:0", "cpu:0", "opencl:0"}) {
    if (!have(devices)) continue;
    for (const int64_t count : {2, 4, 13})
      EXPECT_EQ(mask_of(devices, strategy_of(count)), want) << devices << count;
  }
}

TEST(MicroBatchesOfAGraph, RolesAndKernelsDoNotGrowWithTheirNumber) {
  constexpr int64_t kRows = 4;
  const auto counts_of = [](int64_t count) {
    const Program p =
        compiled(models::find("lenet").build({kRows * count, 1, {0.05, 0.9}}), strategy_of(count));
    const Function& f = *p.find("train");
    size_t bodies = 0;
    for (const Role& r : f.roles) bodies += r.body.size();
    const auto& list = f.devices[0].queues[static_cast<int>(Queue::kCompute)].compute;
    struct Counts {
      size_t roles, bodies, instructions;
    };
    return Counts{f.roles.size(), bodies, list.size()};
  };
  const auto two = counts_of(2), seven = counts_of(7), eight = counts_of(8), many = counts_of(32);
  EXPECT_EQ(two.roles, 2u);  // the micro-batch and the addition
  EXPECT_EQ(many.roles, two.roles);
  EXPECT_EQ(many.bodies, two.bodies);
  // The first micro-batches need no signal that their memory is free. Each later micro-batch has a wait for
  // its inputs, two calls and this signal.
  const size_t each = eight.instructions - seven.instructions;
  EXPECT_EQ(many.instructions, eight.instructions + 24 * each);
  EXPECT_EQ(each, 4u);
}

// The sums stay in the memory of the first results. All later results of the role are written to one other
// place.
TEST(MicroBatchesOfAGraph, TheCallsOfARoleWriteToTwoPlaces) {
  const Program p = compiled(models::find("lenet").build({4 * 9, 1, {0.05, 0.9}}), strategy_of(9));
  const Function& f = *p.find("train");
  std::map<size_t, std::set<uint64_t>> places;  // result -> offsets
  for (const Instruction& i : f.devices[0].queues[static_cast<int>(Queue::kCompute)].compute)
    if (const auto* call = i.as<CallRole>();
        call && f.roles[call->role].name.find("micro_batch") != std::string::npos)
      for (size_t n = 0; const FrameId a : call->arguments)
        for (BufferId b : f.frames[a].buffers)
          if (++n > 2) places[n].insert(f.buffers[b].offset);
  EXPECT_EQ(places.size(), 9u) << "the loss and eight gradients";
  for (const auto& [result, offsets] : places) EXPECT_EQ(offsets.size(), 2u) << result;
}

// The activations take the memory of one micro-batch. The inputs of two micro-batches are in memory at the
// same time: the inputs of the current call, and the inputs that arrive for the next call.
TEST(MicroBatchesOfAGraph, MemoryIsThatOfOneMicroBatch) {
  constexpr int64_t kRows = 16;
  const auto arena_of = [](int64_t rows, const std::string& strategy) {
    const Program p = compiled(models::find("lenet").build({rows, 1, {0.05, 0.9}}), strategy);
    return p.find("train")->devices[0].arena_bytes;
  };
  const uint64_t inputs = kRows * (28 * 28 + 1) * 4, gradients = 431'080 * 4;
  const uint64_t one = arena_of(kRows, ""), four = arena_of(4 * kRows, strategy_of(4)),
                 sixteen = arena_of(16 * kRows, strategy_of(16));
  constexpr uint64_t kPadding = 16 * 1024;  // alignment
  EXPECT_LE(four, one + inputs + gradients + kPadding);
  EXPECT_EQ(sixteen, four);
  EXPECT_LT(sixteen, arena_of(16 * kRows, "") / 2);
}

TEST(MicroBatchesOfAGraph, AreSavedAndLoaded) {
  const TemporaryFolder folder;
  const std::string path = folder.path("micro_batches.cutset");
  const CompileOptions options{.devices = "reference:0", .strategy = strategy_of(4)};
  Session session = compile(mean_loss(13, 7), options);
  save_program(mean_loss(13, 7), options, path);
  SavedProgram saved = load_program(path);
  for (uint64_t step = 0; step < 3; ++step)
    EXPECT_EQ(session.train(noise(13, 4, step)).at("loss"), saved.run("train", noise(13, 4, step)).at("loss"))
        << step;
  Session rows = compile(rows_of_whole_values(13, 7), options);
  save_program(rows_of_whole_values(13, 7), options, path);
  SavedProgram saved_rows = load_program(path);
  EXPECT_EQ(rows.train(noise(13, 4, 0)).at("h"), saved_rows.run("train", noise(13, 4, 0)).at("h"));
}

}  // namespace
}  // namespace cutset::testing
