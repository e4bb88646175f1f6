// Micro-batches: a step in several micro-batches gives the results of one device that computes the whole batch, and its
// roles and memory do not grow with the number of micro-batches.
#include <cutset/saved.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "frontends/cpp/configure.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/models/models.h"
#include "runtime/program/check_program.h"
#include "runtime/program/expand.h"
#include "tests/equivalence/loss_forms.h"
#include "tests/equivalence/runs.h"

namespace cutset::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string strategy_of(int64_t micro_batches) {
  return "pipeline(1, micro_batches=" + std::to_string(micro_batches) + ")";
}

// All forms of losses, but each only once: the forms differ in their devices, too.
std::vector<LossForm> forms() {
  std::vector<LossForm> list;
  for (const LossForm& f : loss_forms())
    if (std::none_of(list.begin(), list.end(), [&](const LossForm& known) { return known.build == f.build; }) &&
        std::string(f.name) != "ops_that_need_the_whole_batch")
      list.push_back(f);
  return list;
}

class MicroBatches : public ::testing::TestWithParam<LossForm> {};

TEST_P(MicroBatches, TrainAsOneBatchDoes) {
  const LossForm& form = GetParam();
  const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
  for (const int64_t count : {2, 3, 8}) {
    const FormRun got = train(form, {.devices = "sim:0", .strategy = strategy_of(count), .f64 = true}, 7);
    const FormDifference d = differences(got, want);
    EXPECT_LE(d.loss, 1e-12) << count;
    EXPECT_LE(d.change, 1e-12) << count;
  }
}
INSTANTIATE_TEST_SUITE_P(Losses, MicroBatches, ::testing::ValuesIn(forms()),
                         [](const auto& info) { return std::string(info.param.name); });

std::string refusal_of(const Graph& graph, const CompileOptions& options) {
  try {
    compile(graph, options);
    return "accepted";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(MicroBatchesOfAGraph, OpsThatNeedAllRowsAreRefusedWithTheirLines) {
  Graph g(7);
  Tensor x = g.input("x", f32, {8, 4}), w = g.variable("w", f32, {4}, Initializer::uniform(-1, 1));
  Tensor largest = reduce_max(x * w, {.axes = {0}});
  g.minimize(sum(x * largest), {});
  EXPECT_THAT(
      refusal_of(g, {.devices = "reference:0", .strategy = strategy_of(2)}),
      ContainsRegex("micro_batches_test.cc:[0-9]+: .*'cutset.reduce_max' op needs the rows of all micro-batches at "
                    "once, and the rows are computed by 'mul' .*micro_batches_test.cc:[0-9]+"));
  EXPECT_THAT(
      refusal_of(mean_loss(13, 1), {.devices = "reference:0", .strategy = strategy_of(9), .deterministic = true}),
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
  Session echo = compile(g, {.devices = "reference:0", .strategy = strategy_of(2)});
  HostTensor values({f32, {5, 2}});
  for (int64_t i = 0; i < 10; ++i) values.set(i, static_cast<double>(i));
  EXPECT_EQ(echo.run("evaluate", {{"x", values}}).at("same"), values);
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
    for (const int64_t count : {2, 4, 13}) EXPECT_EQ(mask_of(devices, strategy_of(count)), want) << devices << count;
  }
}

Program compiled(const Graph& graph, const std::string& strategy, const std::string& devices = "reference:0") {
  const CompileConfig config = check(configure({.devices = devices, .strategy = strategy}));
  Program program = check(graph.state()->builder->snapshot()->compile(config)).program;
  EXPECT_TRUE(check_program(program).ok()) << check_program(program).error().what;
  return program;
}

TEST(MicroBatchesOfAGraph, RolesAndKernelsDoNotGrowWithTheirNumber) {
  constexpr int64_t kRows = 4;
  const auto counts_of = [](int64_t count) {
    const Program p = compiled(models::find("lenet").build({kRows * count, 1, {0.05, 0.9}}), strategy_of(count));
    const Function& f = *p.find("train");
    size_t bodies = 0;
    for (const Role& r : f.roles) bodies += r.body.size();
    const auto& list = f.devices[0].queues[static_cast<int>(Queue::kCompute)].compute;
    struct Counts {
      size_t roles, bodies, instructions;
    };
    return Counts{f.roles.size(), bodies, list.size()};
  };
  const auto two = counts_of(2), four = counts_of(4), many = counts_of(32);
  EXPECT_EQ(two.roles, 2u);  // the micro-batch and the addition
  EXPECT_EQ(many.roles, two.roles);
  EXPECT_EQ(many.bodies, two.bodies);
  const size_t each = (four.instructions - two.instructions) / 2;  // instructions per micro-batch
  EXPECT_EQ(many.instructions, two.instructions + 30 * each);
  EXPECT_LE(each, 4u);
}

// The sums stay where the first results are, and all later results of the role lie in one place.
TEST(MicroBatchesOfAGraph, TheCallsOfARoleWriteToTwoPlaces) {
  const Program p = compiled(models::find("lenet").build({4 * 9, 1, {0.05, 0.9}}), strategy_of(9));
  const Function& f = *p.find("train");
  std::map<size_t, std::set<uint64_t>> places;  // result -> offsets
  for (const Instruction& i : f.devices[0].queues[static_cast<int>(Queue::kCompute)].compute)
    if (const auto* call = i.as<CallRole>(); call && f.roles[call->role].name.find("micro_batch") != std::string::npos)
      for (size_t a = 2; a < call->arguments.size(); ++a) places[a].insert(f.buffers[call->arguments[a]].offset);
  EXPECT_EQ(places.size(), 9u) << "the loss and eight gradients";
  for (const auto& [result, offsets] : places) EXPECT_EQ(offsets.size(), 2u) << result;
}

// The memory of the activations is that of one micro-batch. Only the inputs of all micro-batches are there at once.
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
  EXPECT_LE(four, one + 3 * inputs + gradients + kPadding);
  EXPECT_LE(sixteen, four + 12 * inputs + kPadding);
  EXPECT_LT(sixteen, arena_of(16 * kRows, "") / 2);
}

TEST(MicroBatchesOfAGraph, AreSavedAndLoaded) {
  const std::string path = ::testing::TempDir() + "micro_batches_" + std::to_string(::getpid()) + ".cutset";
  const CompileOptions options{.devices = "reference:0", .strategy = strategy_of(4)};
  Session session = compile(mean_loss(13, 7), options);
  save_program(mean_loss(13, 7), options, path);
  SavedProgram saved = SavedProgram::load(path);
  std::remove(path.c_str());
  for (uint64_t step = 0; step < 3; ++step)
    EXPECT_EQ(session.train(noise(13, 4, step)).at("loss"), saved.run("train", noise(13, 4, step)).at("loss")) << step;
}

}  // namespace
}  // namespace cutset::testing
