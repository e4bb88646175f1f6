// SPDX-License-Identifier: Apache-2.0
// Tests plans with schedules. Every order of the actions that can run gives the results of one device. The
// compiler follows the order exactly or refuses it.
#include <cutset/explain.h>
#include <cutset/verify.h>
#include <gmock/gmock.h>

#include "graph/config/plan.h"
#include "graph/schedule/generators.h"
#include "ir/core/philox.h"
#include "tests/equivalence/support/batch_forms.h"
#include "tests/equivalence/support/compiled.h"
#include "tests/equivalence/support/loss_forms.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns a network with random factors, whose values depend on the rows of each micro-batch, a skip
// connection and a shared weight.
Graph network(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor x = flatten(g.input("image", f32, {batch, 1, 28, 28})), y = g.input("label", i32, {batch});
  Tensor w = g.variable("shared", f32, {10, 10}, Initializer::uniform(-0.5, 0.5));
  Tensor first = tanh(matmul(tanh(nn::dense("a", x, 10)), w)), h = tanh(nn::dense("b", first, 10));
  h = h * random_uniform(h, g.step(), {.low = 0.5, .high = 1.5, .seed = 9});
  h = tanh(matmul(nn::dense("c", h + first, 10), w));
  g.minimize(mean(softmax_cross_entropy(nn::dense("d", h, 10), y)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

Plan plan_of(const Graph& graph, const CompileOptions& options) {
  return check(parse_plan(plan(graph, options)));
}

// Moves each action to a random position on its device, after the actions that compute its operands. All
// devices follow one order of all actions, so no device waits forever. Some of the backward actions are
// divided.
Schedule shuffled(int64_t stages, int64_t devices, int64_t micro_batches, uint64_t seed) {
  PhiloxSequence random(seed, 4);
  std::vector<Action> ready;
  for (int32_t k = 0; k < micro_batches; ++k) ready.push_back({ActionKind::kForward, 0, k});
  Schedule schedule;
  schedule.devices.resize(static_cast<size_t>(devices));
  while (!ready.empty()) {
    std::swap(ready[random.below(ready.size())], ready.back());
    const Action a = ready.back();
    ready.pop_back();
    schedule.devices[static_cast<size_t>(a.stage % devices)].push_back(a);
    const ActionKind backward = random.below(2) ? ActionKind::kBackward : ActionKind::kBackwardInput;
    if (a.kind == ActionKind::kForward) {
      if (a.stage + 1 < stages)
        ready.push_back({ActionKind::kForward, a.stage + 1, a.micro_batch});
      else
        ready.push_back({backward, a.stage, a.micro_batch});
    } else if (a.kind != ActionKind::kBackwardWeight) {
      if (a.kind == ActionKind::kBackwardInput)
        ready.push_back({ActionKind::kBackwardWeight, a.stage, a.micro_batch});
      if (a.stage > 0) ready.push_back({backward, a.stage - 1, a.micro_batch});
    }
  }
  return schedule;
}

CompileOptions with_schedules(const Graph& graph, CompileOptions options, int64_t stages, int64_t devices,
                              uint64_t seed) {
  Plan p = plan_of(graph, options);
  for (Plan::PipelineSchedule& s : p.schedules) s.schedule = shuffled(stages, devices, s.micro_batches, seed);
  options.plan = plan_text(p);
  return options;
}

TEST(EditedSchedules, AnyOrderTrainsAsOneDeviceDoes) {
  const LossForm form{"", network, {13, 13, 5}, "", ""};
  const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
  const FormRun bits = train(form, {.devices = "sim:0", .deterministic = true}, 7);
  struct {
    const char* strategy;
    int64_t stages;
  } const cases[] = {{"pipeline(2, micro_batches=5)", 2},
                     {"pipeline(2, micro_batches=4, schedule=zb-h1)", 2},
                     {"pipeline(2, micro_batches=4, recompute=true)", 2},
                     {"pipeline(2, micro_batches=4, schedule=interleaved)", 4}};
  for (const auto& [strategy, stages] : cases)
    for (uint64_t seed = 0; seed < 3; ++seed) {
      const Graph graph = network(13, 7);
      const CompileOptions options = with_schedules(
          graph, {.devices = "sim:0,reference:0", .strategy = strategy, .f64 = true}, stages, 2, seed);
      const FormDifference d = differences(train(form, options, 7), want);
      EXPECT_LE(d.loss, 1e-12) << strategy << ", seed " << seed;
      EXPECT_LE(d.change, 1e-12) << strategy << ", seed " << seed;
      const CompileOptions fixed = with_schedules(
          graph, {.devices = "sim:0,sim:1", .strategy = strategy, .deterministic = true}, stages, 2, seed);
      const FormRun got = train(form, fixed, 7);
      EXPECT_EQ(got.loss, bits.loss) << strategy << ", seed " << seed;
      EXPECT_EQ(got.after, bits.after) << strategy << ", seed " << seed;
    }
}

// The replicas have 5 and 2 micro-batches, so their schedules differ. The devices of a tensor axis share one
// schedule.
TEST(EditedSchedules, OfReplicasAndTensorAxesTrainAsOneDeviceDoes) {
  const LossForm form{"", network, {14, 14}, "", ""};
  const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
  const struct {
    const char *devices, *strategy;
    size_t schedules;
  } cases[] = {{"sim:0,sim:1,sim:2,reference:0", "data(2, shares=6:1) * pipeline(2, micro_batches=5)", 2},
               {"sim:0,sim:1,sim:2,sim:3", "pipeline(2, micro_batches=3) * tensor(2)", 1}};
  for (const auto& [devices, strategy, schedules] : cases) {
    const Graph graph = network(14, 7);
    const CompileOptions options{.devices = devices, .strategy = strategy, .f64 = true};
    const Plan p = plan_of(graph, options);
    EXPECT_EQ(p.schedules.size(), schedules) << strategy;
    for (uint64_t seed = 0; seed < 2; ++seed) {
      const FormDifference d = differences(train(form, with_schedules(graph, options, 2, 2, seed), 7), want);
      EXPECT_LE(d.loss, 1e-12) << strategy << ", seed " << seed;
      EXPECT_LE(d.change, 1e-12) << strategy << ", seed " << seed;
    }
  }
}

// On a tensor axis, backward ops of later stages read forms of forward values that no result needs. The stage
// of a value computes these forms in its forward role, so no order of the actions waits for them.
TEST(EditedSchedules, OfTensorAxesMayHaveAnyOrder) {
  const struct {
    const char *devices, *strategy;
    int64_t stages, batch;
  } cases[] = {
      {"sim:0,sim:1,sim:2,sim:3", "pipeline(2, micro_batches=3) * tensor(2)", 2, 12},
      {"sim:0,reference:0,sim:1,reference:1", "pipeline(2, micro_batches=4, schedule=zb-h1) * tensor(2)", 2,
       12},
      {"sim:0,sim:1,sim:2,sim:3", "pipeline(2, micro_batches=3, recompute=true) * tensor(2)", 2, 12},
      {"sim:0,sim:1,sim:2,sim:3", "pipeline(2, micro_batches=4, schedule=interleaved) * tensor(2)", 4, 12},
      {"sim:0,sim:1,sim:2,sim:3,sim:4,sim:5,sim:6,sim:7",
       "data(2) * pipeline(2, micro_batches=2) * tensor(2)", 2, 24}};
  for (const auto& [devices, strategy, stages, batch] : cases)
    for (const LossForm& form :
         {LossForm{"time_major", time_major, {batch, batch}, "", "", sequences},
          LossForm{"language_model", language_model, {batch, batch}, "", "", tokens_and_labels},
          LossForm{"attention_loss", attention_loss, {batch, batch}, "", ""}}) {
      const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
      const Graph graph = form.build(batch, 7);
      for (uint64_t seed = 0; seed < 6; ++seed) {
        const std::string name = std::string(form.name) + ", " + strategy + ", seed " + std::to_string(seed);
        const CompileOptions options =
            with_schedules(graph, {.devices = devices, .strategy = strategy, .f64 = true}, stages, 2, seed);
        const std::string refusal = refusal_of(graph, options);
        EXPECT_EQ(refusal, "accepted") << name;
        if (refusal != "accepted") continue;
        const FormDifference d = differences(train(form, options, 7), want);
        EXPECT_LE(d.loss, 1e-12) << name;
        EXPECT_LE(d.change, 1e-12) << name;
      }
    }
}

// The calls of the program have the order of the plan, micro-batch by micro-batch.
TEST(EditedSchedules, AreFollowedExactly) {
  const Graph graph = network(12, 1);
  const CompileOptions options =
      with_schedules(graph, {.devices = "sim:0,sim:1", .strategy = "pipeline(2, micro_batches=4)"}, 2, 2, 5);
  const Plan p = plan_of(graph, options);
  ASSERT_EQ(p.schedules.size(), 1u);
  EXPECT_EQ(p.schedules[0].schedule, check(parse_plan(*options.plan)).schedules[0].schedule);
  const Program program =
      check(graph.state()->builder->snapshot()->compile(check(configure(options)))).program;
  const Function& f = *program.find("train");
  for (size_t d = 0; d < 2; ++d) {
    std::vector<std::string> want, got;
    for (const Action& a : p.schedules[0].schedule.devices[d])
      for (const ActionKind kind : a.kind == ActionKind::kBackward
                                       ? std::vector{ActionKind::kBackwardInput, ActionKind::kBackwardWeight}
                                       : std::vector{a.kind})
        if (d > 0 || kind != ActionKind::kBackwardInput)  // nothing leaves the first stage
          want.push_back(std::string(name_of(kind)) + "0 " + std::to_string(a.micro_batch));
    for (const Instruction& i : f.devices[d].queues[static_cast<int>(Queue::kCompute)].compute)
      if (const auto* call = i.as<CallRole>()) {
        const std::string& name = f.roles[call->role].name;
        std::string kind = name.substr(name.rfind('/') + 1);
        kind = kind.substr(0, kind.find('\''));  // an action may call several roles
        const std::string action = kind + " " + std::to_string(call->shard);
        if (kind.find("accumulate") == std::string::npos && (got.empty() || got.back() != action))
          got.push_back(action);
      }
    EXPECT_EQ(got, want) << d;
  }
}

// verify compares every value of every micro-batch with the one-device program.
TEST(EditedSchedules, AreVerified) {
  const Graph graph = network(13, 3);
  Batch batch;
  HostTensor x({f32, {13, 1, 28, 28}}), y({i32, {13}});
  for (int64_t i = 0; i < x.elements(); ++i) x.set(i, 0.01 * static_cast<double>(i % 97) - 0.4);
  for (int64_t i = 0; i < y.elements(); ++i) y.set(i, static_cast<double>(i % 10));
  batch.emplace("image", x);
  batch.emplace("label", y);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const CompileOptions options = with_schedules(
        graph, {.devices = "sim:0,sim:1", .strategy = "pipeline(2, micro_batches=4)"}, 2, 2, seed);
    const VerifyResult result = verify(graph, options, std::span<const Batch>(&batch, 1));
    EXPECT_TRUE(result.same) << seed << ": " << result.worst_at;
  }
}

TEST(EditedSchedules, TheBackwardPassIsDividedIfTheScheduleSaysSo) {
  const Graph graph = network(12, 1);
  for (const auto& [strategy, other] : {std::pair("pipeline(2, micro_batches=4)", "zb-h1"),
                                        std::pair("pipeline(2, micro_batches=4, schedule=zb-h1)", "1f1b")}) {
    CompileOptions options{.devices = "sim:0,sim:1", .strategy = strategy};
    Plan p = plan_of(graph, options);
    p.schedules.at(0).schedule = check(generate_schedule(other, {2, 4, 1}));
    options.plan = plan_text(p);
    const Program program =
        check(graph.state()->builder->snapshot()->compile(check(configure(options)))).program;
    bool divided = false;
    for (const Role& role : program.find("train")->roles)
      divided |= role.name.find("backward_weight") != std::string::npos;
    EXPECT_EQ(divided, std::string(other) == "zb-h1") << strategy;
  }
}

// A plan has one schedule for each number of micro-batches that occurs. Schedules for other numbers are kept
// for other batches.
TEST(EditedSchedules, OfOtherNumbersAreKeptAndUsed) {
  const Graph graph = network(12, 1);
  CompileOptions options{.devices = "sim:0,sim:1", .strategy = "pipeline(2, micro_batches=4)"};
  Plan p = plan_of(graph, options);
  Plan::PipelineSchedule three{3, shuffled(2, 2, 3, 1), {}, 0};
  p.schedules.push_back(three);
  options.plan = plan_text(p);
  const Plan again = plan_of(graph, options);
  ASSERT_EQ(again.schedules.size(), 2u);
  EXPECT_EQ(again.schedules[0].micro_batches, 3);
  EXPECT_EQ(again.schedules[0].schedule, three.schedule);
  EXPECT_EQ(plan_of(network(3, 1), options).schedules.at(0).schedule, three.schedule);
  p.schedules.pop_back();
  options.plan = plan_text(p);
  EXPECT_THAT(refusal_of(network(3, 1), options),
              AllOf(HasSubstr("has replicas with 3 micro-batches, and the plan has other schedules"),
                    HasSubstr("'schedule 3'")));
  p.schedules.clear();
  options.plan = plan_text(p);
  EXPECT_EQ(plan_of(network(3, 1), options).schedules.size(), 1u);  // the strategy decides
}

TEST(EditedSchedules, WhatCannotRunIsRefusedWithBothActions) {
  const Graph graph = network(14, 1);
  const CompileOptions options{
      .devices = "sim:0,sim:1,sim:2,reference:0",
      .strategy = "data(2, shares=1:1) * pipeline(2, micro_batches=2, schedule=gpipe)"};
  const Plan good = plan_of(graph, options);
  ASSERT_EQ(good.schedules.size(), 1u);
  const auto refused = [&](auto&& edit) {
    Plan p = good;
    edit(p.schedules[0].schedule.devices);
    CompileOptions edited = options;
    edited.plan = plan_text(p);
    return refusal_of(graph, edited);
  };
  EXPECT_THAT(refused([](auto& d) { std::swap(d[1][0], d[1][2]); }),
              HasSubstr("sim:1 and reference:0: backward of stage 1, micro-batch 0 (action 0), uses the "
                        "result of forward of "
                        "stage 1, micro-batch 0 (action 2), which comes later"));
  EXPECT_THAT(refused([](auto& d) {
                std::swap(d[0][1], d[0][2]);
                std::swap(d[1][0], d[1][1]);
                std::swap(d[1][1], d[1][3]);
                std::swap(d[1][2], d[1][3]);
              }),
              AllOf(HasSubstr("actions wait for each other: "),
                    HasSubstr("sim:0 and sim:2 cannot run backward of stage 0, micro-batch 0"),
                    HasSubstr("sim:1 and reference:0 cannot run forward of stage 1, micro-batch 1")));
  EXPECT_THAT(refused([](auto& d) { d[0].pop_back(); }),
              HasSubstr("backward of stage 0, micro-batch 1, is missing on sim:0 and sim:2"));
  EXPECT_THAT(refused([](auto& d) { d.pop_back(); }),
              HasSubstr("the schedule has 1 devices; the pipeline has 2"));
  EXPECT_THAT(refused([](auto& d) { d[0][0].stage = 1'000'000; }),
              HasSubstr("stage 1000000 is out of range"));
}

// With two stages per device, a plan names the stage of each op. The line of an op decides its stage, as long
// as the layers follow the stages.
TEST(EditedSchedules, AnOpIsInTheStageThatThePlanNames) {
  const Graph graph = network(12, 1);
  CompileOptions options{.devices = "sim:0,sim:1",
                         .strategy = "pipeline(2, micro_batches=4, schedule=interleaved)"};
  Plan p = plan_of(graph, options);
  const auto refused = [&] {
    options.plan = plan_text(p);
    return refusal_of(graph, options);
  };
  EXPECT_EQ(refused(), "accepted");
  const auto of_stage = [](Plan& plan, int64_t stage) {
    std::vector<Plan::Op*> ops;
    for (Plan::Op& o : plan.ops)
      if (o.stage == stage) ops.push_back(&o);
    return ops;
  };
  for (int64_t stage = 0; stage < 4; ++stage) {
    ASSERT_FALSE(of_stage(p, stage).empty()) << stage;
    for (const Plan::Op* o : of_stage(p, stage)) EXPECT_EQ(o->device, stage % 2 ? "sim:1" : "sim:0");
  }
  // The first op of stage 1 becomes the last op of stage 0.
  Plan moved = p;
  Plan::Op* op = of_stage(moved, 1).front();
  const int64_t id = op->id;
  op->stage = 0;
  op->device = "sim:0";
  ASSERT_GE(of_stage(moved, 1).size(), 1u);
  options.plan = plan_text(moved);
  const Plan again = plan_of(graph, options);
  for (const Plan::Op& o : again.ops)
    if (o.id == id) {
      EXPECT_EQ(o.stage, 0);
    }
  EXPECT_EQ(again.ops.size(), p.ops.size());
  for (size_t i = 0; i < again.ops.size(); ++i) EXPECT_EQ(again.ops[i].stage, moved.ops[i].stage) << i;

  Plan::Op* third = of_stage(p, 2).back();
  third->stage = 1;
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("is to be in stage 1 (line "), HasSubstr("sim:0 has the stages 0, 2 of 4")));
  third->stage = 4;
  EXPECT_THAT(refused(), HasSubstr("is to be in stage 4"));
  third->stage = 0;
  EXPECT_THAT(refused(), HasSubstr("is fixed to stage 0 on sim:0"));
  third->stage = 2;
  options.strategy = "pipeline(2, micro_batches=4)";
  EXPECT_THAT(refused(), HasSubstr("each device has one stage, which has no number"));
}

}  // namespace
}  // namespace cutset::testing
