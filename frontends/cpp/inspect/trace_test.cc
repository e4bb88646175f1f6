// SPDX-License-Identifier: Apache-2.0
// Tests that the trace of a pipeline says which stage computes which micro-batch, forward or backward.
#include <cutset/cutset.h>
#include <cutset/losses.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/temporary_folder.h"

namespace cutset {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;

// Returns the slices of the second step of a pipeline with two stages and four micro-batches.
std::vector<Json> slices_of_a_step(const std::string& devices) {
  Graph g(3);
  const Tensor x = g.input("x", f32, {8, 6}), y = g.input("y", i32, {8});
  const Tensor h = tanh(nn::dense("fc1", x, 5));
  {
    DeviceScope there(g, devices.substr(devices.find(',') + 1));
    g.minimize(mean(softmax_cross_entropy(nn::dense("fc2", h, 3), y)), {.learning_rate = 0.1});
  }
  Session session = compile(g, {.devices = devices, .strategy = "pipeline(2, micro_batches=4)"});
  Batch batch;
  batch.emplace("x", HostTensor({8, 6}, std::vector<float>(48, 0.5f)));
  batch.emplace("y", HostTensor({8}, std::vector<int32_t>(8, 1)));
  session.train(batch);
  session.start_trace();
  session.train(batch);
  const TemporaryFolder folder;
  session.write_trace(folder.path("trace.json"));
  std::vector<Json> slices;
  const Json trace = Json::parse(std::ifstream(folder.path("trace.json")));
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X") slices.push_back(e);
  std::ranges::sort(slices, {}, [](const Json& e) { return e["ts"].get<double>(); });
  return slices;
}

// A schedule with one forward and one backward action in turn: the first stage is one micro-batch ahead.
TEST(Trace, ShowsTheTurnsOfAPipeline) {
  std::map<std::string, std::vector<std::string>> turns;  // by stage
  std::map<std::pair<std::string, int>, std::pair<double, double>>
      forward;  // by stage and micro-batch: begin and end
  std::map<std::pair<std::string, int>, std::pair<double, double>> backward;
  for (const Json& e : slices_of_a_step("reference:0,reference:1")) {
    const std::string name = e["name"], role = e["args"].value("role", "");
    if (e["cat"] != "turn" || (role != "forward" && role != "backward")) continue;
    const std::string stage = e["args"]["stage"];
    if (!e["args"].contains("micro_batch")) continue;  // the mean of the losses of all micro-batches
    turns[stage].push_back(name);
    const double begin = e["ts"], end = begin + e["dur"].get<double>();
    (role == "forward" ? forward : backward)[{stage, e["args"]["micro_batch"].get<int>()}] = {begin, end};
  }
  const auto text = [](const char* role, int m) { return role + (", micro-batch " + std::to_string(m)); };
  EXPECT_THAT(turns["1 of 2"],
              ElementsAre(text("forward", 0), text("forward", 1), text("backward", 0), text("forward", 2),
                          text("backward", 1), text("forward", 3), text("backward", 2), text("backward", 3)));
  EXPECT_THAT(turns["2 of 2"],
              ElementsAre(text("forward", 0), text("backward", 0), text("forward", 1), text("backward", 1),
                          text("forward", 2), text("backward", 2), text("forward", 3), text("backward", 3)));
  for (int m = 0; m < 4; ++m) {
    EXPECT_LE((forward[{"1 of 2", m}].second), (forward[{"2 of 2", m}].first)) << m;
    EXPECT_LE((backward[{"2 of 2", m}].second), (backward[{"1 of 2", m}].first)) << m;
  }
}

TEST(Trace, NamesTheMicroBatchesOfTransfers) {
  std::map<std::string, int> sent, received;
  for (const Json& e : slices_of_a_step("reference:0,reference:1")) {
    const std::string name = e["name"], device = std::to_string(e["pid"].get<int>());
    if (e["cat"] == "send") ++sent[device + " " + name];
    if (e["cat"] == "recv") ++received[device + " " + name];
  }
  for (int m = 0; m < 4; ++m) {
    const std::string micro_batch = ", micro-batch " + std::to_string(m);
    EXPECT_EQ(sent["0 send: forward" + micro_batch], 1);
    EXPECT_EQ(received["1 recv: forward" + micro_batch], 1);
    EXPECT_EQ(sent["1 send: backward" + micro_batch], 1);
    EXPECT_EQ(received["0 recv: backward" + micro_batch], 1);
  }
}

// A replica has one shard of the batch, which is no micro-batch.
TEST(Trace, OfReplicasHasNoMicroBatches) {
  Graph g(3);
  g.minimize(mean(tanh(nn::dense("fc", g.input("x", f32, {4, 3}), 2))), {.learning_rate = 0.1});
  Session session = compile(g, {.devices = "reference:0,reference:1", .strategy = "data(2)"});
  Batch batch;
  batch.emplace("x", HostTensor({4, 3}, std::vector<float>(12, 0.5f)));
  session.start_trace();
  session.train(batch);
  const TemporaryFolder folder;
  session.write_trace(folder.path("trace.json"));
  std::map<std::string, std::set<int>> turns;  // name -> the devices that have it
  const Json trace = Json::parse(std::ifstream(folder.path("trace.json")));
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    EXPECT_FALSE(e["args"].contains("micro_batch")) << e;
    EXPECT_FALSE(e["args"].contains("stage")) << e;
    if (e["cat"] == "turn") turns[e["name"]].insert(e["pid"].get<int>());
  }
  EXPECT_THAT(turns["forward"], ElementsAre(0, 1));
  EXPECT_THAT(turns["update"], ElementsAre(0, 1));
}

}  // namespace
}  // namespace cutset
