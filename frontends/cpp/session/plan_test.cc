// SPDX-License-Identifier: Apache-2.0
// Tests plans through the API: every line of a plan is followed, or the compilation fails.
#include "graph/config/plan.h"

#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ir/core/result.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;

Graph model(int64_t batch = 4, bool pin = false) {
  Graph g(3);
  Tensor x = g.input("x", f32, {batch, 6}), y = g.input("y", i32, {batch});
  Tensor h = nn::dense("fc1", x, 5);
  if (pin) {
    DeviceScope on(g, "reference:0");
    h = tanh(h);
  } else {
    h = tanh(h);
  }
  g.minimize(mean(softmax_cross_entropy(nn::dense("fc2", h, 3), y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}
const CompileOptions kTwo = {.devices = "reference:0,sim:0"};

Plan read(const std::string& text) {
  auto parsed = parse_plan(text);
  EXPECT_TRUE(parsed) << parsed.error().text();
  return parsed ? *parsed : Plan();
}
Plan plan_of(const Graph& g, const CompileOptions& options) { return read(plan(g, options)); }
CompileOptions with(CompileOptions options, const Plan& p) {
  options.plan = plan_text(p);
  return options;
}
// Returns the device of each op of "train" and "evaluate" by its id and replica, and of each variable.
std::map<std::string, std::string> places(const Graph& g, const CompileOptions& options) {
  std::map<std::string, std::string> at;
  const Plan p = plan_of(g, options);
  for (const Plan::Op& o : p.ops) at[std::to_string(o.id) + "/" + std::to_string(o.replica)] = o.device;
  for (const Plan::Home& h : p.homes)
    for (size_t r = 0; r < h.devices.size(); ++r) at[h.variable + "/" + std::to_string(r)] = h.devices[r];
  return at;
}

TEST(Plans, WhatIsWrittenPlacesAlike) {
  const Graph g = model();
  for (const CompileOptions& options :
       {kTwo, CompileOptions{.devices = "reference:0,sim:0", .strategy = "data(2)"}}) {
    const Plan p = plan_of(g, options);
    EXPECT_GE(p.ops.size(), 6u);
    EXPECT_EQ(p.homes.size(), 4u);  // the velocities have no lines
    EXPECT_EQ(places(g, options), places(g, with(options, p)));
  }
}

TEST(Plans, EveryOpMovesToWhereThePlanSays) {
  const Graph g = model();
  const auto before = places(g, kTwo);
  Plan p = plan_of(g, kTwo);
  for (Plan::Op& o : p.ops) o.device = o.device == "sim:0" ? "reference:0" : "sim:0";
  for (Plan::Home& h : p.homes) h.devices[0] = h.devices[0] == "sim:0" ? "reference:0" : "sim:0";
  const auto after = places(g, with(kTwo, p));
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [what, device] : before) EXPECT_NE(after.at(what), device) << what;
}

TEST(Plans, AHomeIsKeptWhereverOpsReadTheVariable) {
  const Graph g = model();
  Plan p = plan_of(g, kTwo);
  for (Plan::Op& o : p.ops) o.device = "reference:0";
  for (Plan::Home& h : p.homes) h.devices = {h.variable == "fc1.weight" ? "sim:0" : "reference:0"};
  const auto at = places(g, with(kTwo, p));
  EXPECT_EQ(at.at("fc1.weight/0"), "sim:0");
  EXPECT_EQ(at.at("fc2.weight/0"), "reference:0");
  // The update and its state are on the same device, and the results equal the results of one device.
  const std::string mlir = dump(g, with(kTwo, p), "place").mlir;
  EXPECT_THAT(mlir,
              HasSubstr("@\"fc1.weight/velocity\" : tensor<5x6xf32> state_of @fc1.weight home [\"sim:0\"]"));
  Batch batch;
  HostTensor x({f32, {4, 6}}), y({i32, {4}});
  for (int i = 0; i < 24; ++i) x.as<float>()[i] = 0.1f * static_cast<float>(i % 7);
  for (int i = 0; i < 4; ++i) y.as<int32_t>()[i] = i % 3;
  batch.emplace("x", x);
  batch.emplace("y", y);
  Session here = compile(g, with(kTwo, p)), one = compile(model(), {.devices = "reference:0"});
  for (int step = 0; step < 3; ++step)
    EXPECT_EQ(here.run("train", batch)["loss"].item<float>(), one.run("train", batch)["loss"].item<float>())
        << step;
}

TEST(Plans, SurviveAnotherBatchSize) {
  const Plan p = plan_of(model(4), kTwo);
  EXPECT_EQ(places(model(9), with(kTwo, p)), places(model(4), kTwo));
  EXPECT_EQ(plan_of(model(9), kTwo).program, p.program);
  // A session runs every shape on the devices of the first shape.
  Plan all = p;
  for (Plan::Op& o : all.ops) o.device = "sim:0";
  for (Plan::Home& h : all.homes) h.devices = {"sim:0"};
  Session session = compile(model(4), with(kTwo, all));
  for (int64_t n : {4, 1, 7}) {
    Batch batch;
    batch.emplace("x", HostTensor({f32, {n, 6}}));
    batch.emplace("y", HostTensor({i32, {n}}));
    EXPECT_GT(session.train(batch)["loss"].item<double>(), 0);
  }
}

TEST(Plans, APartOfAPlanLeavesTheRestToTheStrategy) {
  Plan p = plan_of(model(), kTwo);
  p.ops.resize(1);
  p.homes.clear();
  p.ops[0].device = "sim:0";
  EXPECT_EQ(places(model(), with(kTwo, p)).at(std::to_string(p.ops[0].id) + "/0"), "sim:0");
}

TEST(Plans, WhatCannotBeKeptIsAnError) {
  const Graph g = model();
  const Plan good = plan_of(g, kTwo);
  auto refused = [&](auto&& edit, const CompileOptions& options = kTwo) {
    Plan p = good;
    edit(p);
    return error_of([&] { compile(g, with(options, p)); });
  };
  EXPECT_THAT(
      refused([](Plan& p) { p.ops[0].device = "nowhere:0"; }),
      AllOf(HasSubstr("is to run on \"nowhere:0\" (line 4 of the plan)"), HasSubstr("plan_test.cc:")));
  EXPECT_THAT(refused([](Plan& p) { p.homes[0].devices = {"nowhere:0"}; }),
              AllOf(HasSubstr("is to live on \"nowhere:0\""), HasSubstr("plan_test.cc:")));
  EXPECT_THAT(refused([](Plan& p) { p.homes[0].devices.push_back("sim:0"); }), HasSubstr("has 1 copy; line"));
  EXPECT_THAT(refused([](Plan& p) { p.homes[0].variable = "fc9.weight"; }),
              HasSubstr("'fc9.weight', which the program"));
  EXPECT_THAT(refused([](Plan& p) { p.ops[0].op = "conv"; }),
              HasSubstr("line 4 of the plan calls it 'conv'"));
  EXPECT_THAT(refused([](Plan& p) { p.ops[0].id = 9999; }),
              HasSubstr("places op 9999; the ids of this program end at"));
  EXPECT_THAT(refused([](Plan& p) { p.ops[0].replica = 1; }),
              HasSubstr("of replica 1; the number of replicas is 1, and they are numbered from 0"));
  EXPECT_THAT(refused([](Plan& p) { p.program = "0000000000000000"; }),
              HasSubstr("the plan was made for the program '0000000000000000'"));
  EXPECT_THAT(refused([](Plan& p) { p.homes.push_back({"fc1.weight/velocity", {"nowhere:0"}}); }),
              HasSubstr("nowhere:0"));
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "reference:0", .plan = ""}); }),
              HasSubstr("plan:1:1: the plan is empty"));
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "reference:0", .plan = "module {}"}); }),
              HasSubstr("plan:1:1: this is not a plan"));
}

TEST(Plans, AnOptimizersStateStaysWithItsVariable) {
  const Graph g = model();
  Plan p = plan_of(g, kTwo);
  for (Plan::Home& h : p.homes) h.devices = {"sim:0"};
  p.homes.push_back({"fc1.weight/velocity", {"reference:0"}});
  EXPECT_THAT(error_of([&] { compile(g, with(kTwo, p)); }),
              HasSubstr("keeps its state @fc1.weight/velocity with @fc1.weight"));
}

TEST(Plans, APinAndAPlanMustAgree) {
  const Graph g = model(4, true);
  Plan p = plan_of(g, kTwo);
  for (Plan::Op& o : p.ops)
    if (o.op == "tanh" || o.op == "tanh_backward") o.device = "sim:0";
  EXPECT_THAT(error_of([&] { compile(g, with(kTwo, p)); }), HasSubstr("is pinned to reference:0, and line"));
}

TEST(Plans, AnotherProgramHasAnotherName) {
  Graph other(3);
  Tensor x = other.input("x", f32, {4, 6}), y = other.input("y", i32, {4});
  Tensor h = relu(nn::dense("fc1", x, 5));  // relu, not tanh
  other.minimize(mean(softmax_cross_entropy(nn::dense("fc2", h, 3), y)), {});
  EXPECT_THAT(error_of([&] { compile(other, with(kTwo, plan_of(model(), kTwo))); }),
              HasSubstr("the plan was made for"));
}

}  // namespace
}  // namespace cutset
