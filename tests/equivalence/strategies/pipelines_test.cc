// SPDX-License-Identifier: Apache-2.0
// Tests pipelines of several stages. Every schedule gives the results of one device, keeps as many frames as
// it promises, and is refused where stages would wait for each other.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "tests/equivalence/support/compiled.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns a graph in which the third stage uses values of the first stage, and both use the same weight. The
// graph is pinned to three devices, if they are given.
Graph skip_and_shared(int64_t batch, uint64_t seed, const std::vector<std::string>& devices) {
  Graph g(seed);
  const auto scope = [&](size_t stage) {
    return devices.empty() ? std::nullopt : std::optional<DeviceScope>(std::in_place, g, devices[stage]);
  };
  Tensor x = flatten(g.input("image", f32, {batch, 1, 28, 28})), y = g.input("label", i32, {batch});
  Tensor w = g.variable("shared", f32, {10, 10}, Initializer::uniform(-0.5, 0.5)), first, second, third;
  {
    const auto on = scope(0);
    first = tanh(matmul(tanh(nn::dense("a", x, 10)), w));
  }
  {
    const auto on = scope(1);
    second = tanh(nn::dense("b", first, 10));
  }
  {
    const auto on = scope(2);
    third = matmul(second + first, w);
  }
  g.minimize(mean(softmax_cross_entropy(third, y)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

Graph skip_and_shared(int64_t batch, uint64_t seed) {
  return skip_and_shared(batch, seed, {"sim:0", "reference:0", "sim:1"});
}

// Returns a graph of six layers, so that each of up to six stages has a layer. The third and the last layer
// use values of the first layer, and all three use the same weight.
Graph deep(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor x = flatten(g.input("image", f32, {batch, 1, 28, 28})), y = g.input("label", i32, {batch});
  Tensor w = g.variable("shared", f32, {10, 10}, Initializer::uniform(-0.5, 0.5));
  Tensor first = tanh(matmul(tanh(nn::dense("a", x, 10)), w)), h = tanh(nn::dense("b", first, 10));
  h = tanh(matmul(nn::dense("c", h + first, 10), w));
  for (const char* layer : {"d", "e"}) h = tanh(nn::dense(layer, h, 10));
  g.minimize(mean(softmax_cross_entropy(matmul(h + first, w), y)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

TEST(Pipelines, SeveralStagesOfADeviceTrainAsOneDeviceDoes) {
  const LossForm form{"", deep, {13, 13, 5}, "", ""};
  const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
  const FormRun bits = train(form, {.devices = "sim:0", .deterministic = true}, 7);
  for (const char* strategy : {"pipeline(2, micro_batches=4, schedule=interleaved)",
                               "pipeline(2, micro_batches=5, schedule=interleaved, chunks=3)",
                               "pipeline(2, micro_batches=1, schedule=interleaved)",
                               "pipeline(2, micro_batches=4, schedule=interleaved, chunks=40)"}) {
    const FormDifference d = differences(
        train(form, {.devices = "sim:0,reference:0", .strategy = strategy, .f64 = true}, 7), want);
    EXPECT_LE(d.loss, 1e-12) << strategy;
    EXPECT_LE(d.change, 1e-12) << strategy;
    EXPECT_SAME_ON(deep(13, 7), "sim:0,reference:0", strategy);
    const FormRun got =
        train(form, {.devices = "sim:0,sim:1", .strategy = strategy, .deterministic = true}, 7);
    EXPECT_EQ(got.loss, bits.loss) << strategy;
    EXPECT_EQ(got.after, bits.after) << strategy;
  }
}

// A plan names devices, and the stages follow from them.
TEST(Pipelines, APlanGivesTheSameStages) {
  const Graph graph = deep(12, 1);
  CompileOptions options{.devices = "sim:0,reference:0",
                         .strategy = "pipeline(2, micro_batches=4, schedule=interleaved, chunks=3)"};
  const auto roles = [&] {
    const CompileConfig config = check(configure(options));
    std::vector<std::pair<std::string, size_t>> list;  // names and numbers of instructions
    const Program program = check(graph.state()->builder->snapshot()->compile(config)).program;
    for (const Role& role : program.find("train")->roles) list.emplace_back(role.name, role.body.size());
    return list;
  };
  const auto want = roles();
  options.plan = plan(graph, options);
  EXPECT_EQ(roles(), want);
}

// All ops take a second, and only the link of the second device takes time. The first op has a large result,
// so the cut is not after this op, whichever direction the transfer would have.
TEST(Pipelines, TheBalanceCountsTheLinkBetweenEachTwoStages) {
  const TemporaryFolder folder;
  const std::string path = folder.path("devices.json");
  const std::string ops =
      R"("flops_per_second": 1e30, "bytes_per_second": 1e30, "launch_seconds": 1, "link_seconds": 1e-9)";
  std::ofstream(path) << "{\"reference:0\": {" + ops + R"(, "link_bytes_per_second": 1e30}, "sim:0": {)" +
                             ops + R"(, "link_bytes_per_second": 1e4}})";
  const auto stages = [&](const char* devices) {
    Graph g(1);
    Tensor h = sum(tanh(g.input("x", f32, {4, 20'000})), {1});
    for (int i = 0; i < 3; ++i) h = tanh(h);
    g.output("y", h);
    std::string list;
    for (const auto& op : explain(g, {.devices = devices,
                                      .strategy = "pipeline(2, micro_batches=2, schedule=interleaved)",
                                      .device_file = path})
                              .ops)
      list += op.reason.substr(0, 8) + "; ";
    return list;
  };
  const std::string want = "stage 1 ; stage 1 ; stage 2 ; stage 3 ; stage 4 ; ";
  EXPECT_EQ(stages("reference:0,sim:0"), want);
  EXPECT_EQ(stages("sim:0,reference:0"), want);
}

// Every stage has its own roles, and all stages of a device have layers.
TEST(Pipelines, EachStageHasItsRoles) {
  const Program p =
      compiled(deep(12, 1), "pipeline(2, micro_batches=4, schedule=interleaved)", "sim:0,sim:1");
  std::set<std::string> names;
  for (const Role& role : p.find("train")->roles) names.insert(role.name);
  for (const char* name : {"sim:0/stage0/forward0", "sim:0/stage2/forward0", "sim:1/stage1/forward0",
                           "sim:1/stage3/forward0", "sim:0/stage0/backward0", "sim:0/stage2/backward0",
                           "sim:1/stage1/backward0", "sim:1/stage3/backward0"})
    EXPECT_TRUE(names.contains("train/" + std::string(name))) << name;
}

TEST(Pipelines, SkipEdgesAndSharedWeightsTrainAsOneDeviceDoes) {
  const LossForm form{"", skip_and_shared, {13, 13, 5}, "", ""};
  const auto options = [](const char* strategy) {
    return CompileOptions{.devices = "sim:0,reference:0,sim:1", .strategy = strategy, .f64 = true};
  };
  const FormRun want = train(form, options("model"), 7);
  for (const char* strategy : {"pipeline(3, micro_batches=4)", "pipeline(3, micro_batches=6, schedule=gpipe)",
                               "pipeline(3, micro_batches=4, schedule=zb-h1)"}) {
    const FormDifference d = differences(train(form, options(strategy), 7), want);
    EXPECT_LE(d.loss, 1e-12) << strategy;
    EXPECT_LE(d.change, 1e-12) << strategy;
    EXPECT_SAME_ON(skip_and_shared(13, 7), "sim:0,reference:0,sim:1", strategy);
  }
}

// Two stages compute summands of the gradient of the shared weight. All additions have the same order as on
// one device.
TEST(Pipelines, SharedWeightsAreDeterministicOnAllSchedules) {
  const auto one = [](int64_t batch, uint64_t seed) { return skip_and_shared(batch, seed, {}); };
  const auto three = [](int64_t batch, uint64_t seed) {
    return skip_and_shared(batch, seed, {"sim:0", "sim:1", "sim:2"});
  };
  const std::vector<int64_t> batches = {13, 13, 5};
  const FormRun want = train({"", one, batches, "", ""}, {.devices = "sim:0", .deterministic = true}, 7);
  for (const char* strategy :
       {"pipeline(3, micro_batches=4)", "pipeline(3, micro_batches=4, schedule=gpipe)",
        "pipeline(3, micro_batches=4, schedule=zb-h1)", "pipeline(3, micro_batches=8, schedule=zb-h1)"}) {
    const FormRun got =
        train({"", three, batches, "", ""},
              {.devices = "sim:0,sim:1,sim:2", .strategy = strategy, .deterministic = true}, 7);
    EXPECT_EQ(got.loss, want.loss) << strategy;
    EXPECT_EQ(got.after, want.after) << strategy;
  }
}

// The first stage also has ops after the second stage. With 1F1B, the two stages would wait for each other.
TEST(Pipelines, StagesThatWaitForEachOtherAreRefused) {
  const auto graph = [] {
    Graph g(1);
    Tensor x = g.input("x", f32, {8, 4}), h, back;
    {
      DeviceScope on(g, "sim:0");
      h = tanh(nn::dense("a", x, 4));
    }
    {
      DeviceScope on(g, "sim:1");
      h = tanh(nn::dense("b", h, 4));
    }
    {
      DeviceScope on(g, "sim:0");
      back = tanh(nn::dense("c", h, 4));
    }
    g.minimize(mean(back * back), {});
    return g;
  };
  EXPECT_THAT(refusal_of(graph(), {.devices = "sim:0,sim:1", .strategy = "pipeline(2, micro_batches=4)"}),
              AllOf(HasSubstr("the stages of the pipeline wait for each other"),
                    HasSubstr("wait for each other in a cycle: "),
                    ::testing::ContainsRegex("'recv' of [abc]\\), pipelines_test.cc:[0-9]+,"),
                    HasSubstr("a message of channel"), HasSubstr("from sim:0"), HasSubstr("from sim:1"),
                    HasSubstr("schedule=gpipe")));
  EXPECT_SAME_ON(graph(), "sim:0,sim:1", "pipeline(2, micro_batches=4, schedule=gpipe)");
  // With two chunks, the ops after the second stage become the third stage.
  EXPECT_SAME_ON(graph(), "sim:0,sim:1", "pipeline(2, micro_batches=4, schedule=interleaved)");
}

// Stage i of p stages keeps the values that its backward pass needs. 1F1B keeps them for at most p - i
// micro-batches, GPipe for all, and ZB-H1 for at most p. One more micro-batch can arrive, so there may be one
// more frame (graph/packing/group_slots.h).
TEST(Pipelines, StagesHaveAsManyFramesAsTheScheduleKeepsAlive) {
  constexpr int64_t kMicroBatches = 8;
  constexpr size_t kStages = 3;
  for (const std::string schedule : {"1f1b", "gpipe", "zb-h1"}) {
    Graph g(1);
    Tensor h = g.input("x", f32, {4 * kMicroBatches, 16});
    for (size_t stage = 0; stage < kStages; ++stage) {
      DeviceScope on(g, "sim:" + std::to_string(stage));
      for (int i = 0; i < 2; ++i) h = tanh(nn::dense("d" + std::to_string(stage) + std::to_string(i), h, 16));
    }
    g.minimize(mean(h * h), {});
    const Program p =
        compiled(g, "pipeline(3, micro_batches=8, schedule=" + schedule + ")", "sim:0,sim:1,sim:2");
    const Function& f = *p.find("train");
    for (size_t d = 0; d < kStages; ++d) {
      std::map<size_t, std::set<uint64_t>> places;  // argument of the forward role -> offsets
      for (const Instruction& i : f.devices[d].queues[static_cast<int>(Queue::kCompute)].compute)
        if (const auto* call = i.as<CallRole>();
            call && f.roles[call->role].name.find("forward") != std::string::npos)
          for (size_t a = 1; a < call->arguments.size(); ++a) {
            const BufferId given = f.frames[call->arguments[a]].buffers[0];
            const Role& role = f.roles[call->role];
            if (role.buffers[role.parameters[a][0]].origin.layout != kPartialSum)
              places[a].insert(f.buffers[given].offset);
          }
      EXPECT_GE(places.size(), 1u) << "the forward pass of stage " << d << " returns values";
      size_t most = 0;
      for (const auto& [argument, offsets] : places) most = std::max(most, offsets.size());
      if (schedule == "gpipe") {
        EXPECT_EQ(most, size_t{kMicroBatches}) << d;
      } else {
        EXPECT_FALSE(places.empty()) << d;
        for (const auto& [argument, offsets] : places)
          EXPECT_LE(offsets.size(), (schedule == "zb-h1" ? kStages : kStages - d) + 1)
              << d << " " << argument;
      }
    }
  }
}

// With recompute, a stage keeps its inputs, and the rest of the step does not grow with the number of
// micro-batches.
TEST(Pipelines, AStageThatRecomputesKeepsItsInputs) {
  constexpr int64_t kRows = 4, kWidth = 64;
  const auto arena = [&](int64_t micro_batches, const std::string& more, size_t device) {
    Graph g(1);
    Tensor h = g.input("x", f32, {kRows * micro_batches, kWidth});
    for (int i = 0; i < 12; ++i) h = tanh(nn::dense("d" + std::to_string(i), h, kWidth));
    g.minimize(mean(h * h), {});
    const Program p = compiled(
        g, "pipeline(2, micro_batches=" + std::to_string(micro_batches) + ", schedule=gpipe" + more + ")",
        "sim:0,sim:1");
    return static_cast<double>(p.find("train")->devices[device].arena_bytes) /
           (kRows * kWidth * 4);  // in activations
  };
  for (const size_t device : {0, 1}) {
    EXPECT_GE(arena(32, "", device) - arena(16, "", device), 16 * 6) << "six layers keep an activation each";
    EXPECT_LE(arena(32, ", recompute=true", device) - arena(16, ", recompute=true", device), 16)
        << "one input";
    const std::string only = ", recompute=" + std::to_string(device),
                      other = ", recompute=" + std::to_string(1 - device);
    EXPECT_LE(arena(32, only, device) - arena(16, only, device), 16) << only;
    EXPECT_GE(arena(32, other, device) - arena(16, other, device), 16 * 5) << other;
  }
}

// A stage that recomputes runs the forward pass of its layers twice, so it has fewer layers.
TEST(Pipelines, AStageThatRecomputesHasFewerLayers) {
  Graph g(1);
  Tensor h = g.input("x", f32, {64, 64});
  for (int i = 0; i < 14; ++i) h = tanh(nn::dense("d" + std::to_string(i), h, 64));
  g.minimize(mean(h * h), {});
  const auto layers_of_first_stage = [&](const std::string& more) {
    const Program p = compiled(g, "pipeline(2, micro_batches=4" + more + ")", "sim:0,sim:1");
    int64_t layers = 0;
    for (const Role& r : p.find("train")->roles)
      if (r.device == 0 && r.name.find("forward") != std::string::npos)
        for (const Instruction& i : r.body) layers += i.op() == "matmul" || i.op() == "fused_matmul";
    return layers;
  };
  EXPECT_EQ(layers_of_first_stage(""), 7);
  EXPECT_EQ(layers_of_first_stage(", recompute=0"), 6);
  EXPECT_EQ(layers_of_first_stage(", recompute=1"), 8);
  EXPECT_EQ(layers_of_first_stage(", recompute=true"), 7);
}

TEST(Pipelines, RecomputationGivesTheSameBits) {
  for (const char* schedule : {"gpipe", "1f1b", "zb-h1", "interleaved"}) {
    const std::string strategy = "pipeline(2, micro_batches=3, schedule=" + std::string(schedule);
    std::vector<HostTensor> losses[2];
    for (const bool recompute : {false, true}) {
      Graph g(5);
      Tensor x = g.input("x", f32, {13, 12}), h = x;
      for (int i = 0; i < 4; ++i) {
        h = tanh(nn::dense("d" + std::to_string(i), h, 12));
        h = h * random_uniform(h, g.step(), {.low = 0.5, .high = 1.5, .seed = 9});
      }
      g.minimize(mean(h * h), {.learning_rate = 0.1});
      Session session = compile(g, {.devices = "reference:0,sim:0",
                                    .strategy = strategy + (recompute ? ", recompute=true)" : ")")});
      HostTensor rows({f32, {13, 12}});
      for (int64_t i = 0; i < rows.elements(); ++i) rows.set(i, 0.01 * static_cast<double>(i % 37) - 0.2);
      for (int step = 0; step < 3; ++step)
        losses[recompute].push_back(session.train({{"x", rows}}).at("loss"));
      for (const std::string& name : session.variables()) losses[recompute].push_back(session.variable(name));
    }
    EXPECT_EQ(losses[0], losses[1]) << schedule;
  }
}

// A stage runs the weight part of the backward pass later than the input part, by as many micro-batches as it
// has stages before it. Nothing leaves the first stage, so it has no input part.
TEST(Pipelines, TheWeightPartRunsLaterThanTheInputPart) {
  constexpr size_t kStages = 3, kMicroBatches = 4;
  Graph g(1);
  Tensor h = g.input("x", f32, {3 * kMicroBatches, 16});
  for (int i = 0; i < 6; ++i) h = tanh(nn::dense("d" + std::to_string(i), h, 16));
  g.minimize(mean(h * h), {});
  const Program p = compiled(g, "pipeline(3, micro_batches=4, schedule=zb-h1)", "sim:0,sim:1,sim:2");
  const Function& f = *p.find("train");
  for (size_t d = 0; d < kStages; ++d) {
    std::set<int32_t> input_parts, weight_parts;  // the micro-batches whose parts have run
    for (const Instruction& i : f.devices[d].queues[static_cast<int>(Queue::kCompute)].compute)
      if (const auto* call = i.as<CallRole>()) {
        const std::string& name = f.roles[call->role].name;
        if (name.find("backward_input") != std::string::npos) input_parts.insert(call->shard);
        if (name.find("backward_weight") == std::string::npos) continue;
        weight_parts.insert(call->shard);
        if (d > 0) {
          EXPECT_EQ(input_parts.size(), std::min(kMicroBatches, weight_parts.size() + d)) << d;
        }
      }
    EXPECT_EQ(input_parts.size(), d == 0 ? 0 : kMicroBatches) << d;
    EXPECT_EQ(weight_parts.size(), kMicroBatches) << d;
  }
}

}  // namespace
}  // namespace cutset::testing
