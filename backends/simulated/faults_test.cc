// SPDX-License-Identifier: Apache-2.0
// Tests the faults on request of the simulated device, which other tests use to make devices fail.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>

namespace cutset {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class SimulatedFaults : public ::testing::Test {
 protected:
  ~SimulatedFaults() override { unsetenv("CUTSET_SIMULATED_FAULTS"); }
  // Runs tanh(x) twice on `device`. Returns the text of the error, or the first element of the second result.
  static std::string run(const std::string& faults, const std::string& device = "sim:0") {
    setenv("CUTSET_SIMULATED_FAULTS", faults.c_str(), 1);
    try {
      Graph g;
      g.output("y", tanh(g.input("x", f32, {3})));
      Session session = compile(g, {.devices = device});
      Batch batch;
      batch.emplace("x", HostTensor({f32, {3}}));
      session.evaluate(batch);
      const double y = session.evaluate(batch).at("y").at(0);
      return std::isnan(y) ? "nan" : std::to_string(y);
    } catch (const Error& e) {
      return e.what();
    }
  }
};

TEST_F(SimulatedFaults, FailsOnlyOnRequest) {
  EXPECT_EQ(run(""), "0.000000");
  for (const char* function : {"describe", "available", "open", "allocate", "queue", "event", "prepare",
                               "enqueue", "signal", "wait", "write", "read", "finish"})
    EXPECT_THAT(run(std::string(function) + "=1"), HasSubstr(std::string(function) + " fails on request"))
        << function;
  EXPECT_THAT(run("enqueue/tanh=2"), HasSubstr("enqueue fails on request (call 2)"));
  EXPECT_EQ(run("enqueue/tanh=3"), "0.000000");
  EXPECT_EQ(run("enqueue/exp=1"), "0.000000");
  EXPECT_EQ(run("enqueue@1=1"), "0.000000");
  EXPECT_THAT(run("enqueue@1=1", "sim:1"), HasSubstr("sim:1"));
  EXPECT_THAT(run("enqueue/exp=1,write=2+"), HasSubstr("write fails on request (call 2)"));
}

// The command fails on the device after the function has returned, and `finish` reports it.
TEST_F(SimulatedFaults, LosesACommandOnRequest) {
  for (const char* function : {"enqueue", "write", "read"})
    EXPECT_THAT(run(std::string(function) + "=1:lost"),
                ContainsRegex(std::string(function) + "( of tanh)?: the command fails on request"));
}

TEST_F(SimulatedFaults, MalformedRequestsAreRefused) {
  for (const char* wrong : {"enqueue", "enqueue=", "enqueue=0", "enqueue=1:burn", "enqueue=x", "=1",
                            "enqueue@x=1", "enqueue=99999999999", "bogus=1", "signal=1:nan", "open=1:hang"})
    EXPECT_THAT(run(wrong),
                HasSubstr("CUTSET_SIMULATED_FAULTS: '" + std::string(wrong) + "' does not have the form"));
}

TEST_F(SimulatedFaults, WritesNanOnRequest) {
  EXPECT_EQ(run("enqueue=1:nan"), "0.000000");
  EXPECT_EQ(run("enqueue=2:nan"), "nan");
}

// A session describes its devices once. Its later compilations use the same descriptions.
TEST_F(SimulatedFaults, IsDescribedOncePerSession) {
  Graph g;
  g.output("y", tanh(g.input("x", f32, {3})));
  Session session = compile(g, {.devices = "sim:0"});
  setenv("CUTSET_SIMULATED_FAULTS", "describe=1+,available=1+", 1);
  EXPECT_THROW(compile(g, {.devices = "sim:0"}), Error);
  Batch batch;
  batch.emplace("x", HostTensor({f32, {5}}));
  EXPECT_EQ(session.evaluate(batch)["y"].elements(), 5);
  EXPECT_EQ(session.compilations(), 2);
}

}  // namespace
}  // namespace cutset
