// SPDX-License-Identifier: Apache-2.0
// Tests that a session keeps a limited number of programs for shapes that the graph was not built with.
#include <cutset/cutset.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/folder.h"

namespace cutset {
namespace {

// Returns a graph that multiplies each row by a variable, for any number of rows.
Graph scaling() {
  Graph g;
  Tensor x = g.input("x", f32, {4, 1024});
  g.output("y", x * g.variable("w", f32, {1024}, Initializer::uniform(1, 2)));
  return g;
}
Batch rows(int64_t n) {
  Batch batch;
  batch.emplace("x", HostTensor({n, 1024}, std::vector<float>(static_cast<size_t>(n) * 1024, 3)));
  return batch;
}

class Specialisations : public Folder {};

TEST_F(Specialisations, AreReleasedWhenThereAreTooMany) {
  for (const auto& [devices, strategy] :
       {std::pair("reference:0", "one_device"), {"reference:0,sim:0", "data(2)"}}) {
    Session session =
        compile(scaling(), {.devices = devices, .strategy = strategy, .max_specialisations = 2});
    const HostTensor w = session.variable("w");
    for (const auto& [n, compilations] : std::vector<std::pair<int64_t, int64_t>>{
             {4, 1}, {1, 2}, {2, 3}, {1, 3}, {2, 3}, {3, 4}, {3, 4}, {1, 5}, {4, 5}}) {
      const Outputs outputs = session.evaluate(rows(n));
      EXPECT_EQ(session.compilations(), compilations) << devices << ", " << n << " rows";
      ASSERT_EQ(outputs["y"].shape(), (Shape{n, 1024}));
      EXPECT_EQ(outputs["y"].at(n * 1024 - 1), static_cast<float>(w.at(1023)) * 3);
    }
    EXPECT_EQ(session.variable("w"), w);
  }
}

// Returns a graph that adds a constant of 1 KiB to each row. Every program of the graph holds the constant.
Graph shifting(int64_t rows) {
  Graph g;
  Tensor x = g.input("x", f32, {rows, 256});
  g.output("y", x + g.constant(HostTensor({256}, std::vector<float>(256, 0.5f))));
  return g;
}

// The budget of the device holds the arena of the largest batch once, and the constants of two programs.
TEST_F(Specialisations, ShareOneArenaAndGiveTheirMemoryBack) {
  constexpr int64_t kMostRows = 12;
  const MemoryUse most = compile(shifting(kMostRows), {.devices = "reference:0"}).memory()[0];
  ASSERT_EQ(most.constants, 1024u);
  const uint64_t budget = most.arena + 2 * most.constants;
  std::ofstream(path("devices.json")) << R"({"reference:0": {"memory_bytes": )" << budget << "}}";
  auto run_all = [&](int64_t programs) {
    Session session = compile(
        shifting(4),
        {.devices = "reference:0", .device_file = path("devices.json"), .max_specialisations = programs});
    for (int64_t n : {5, 3, 12, 4, 7, 12, 4, 11}) {
      const auto count = static_cast<size_t>(n) * 256;
      Batch batch;
      batch.emplace("x", HostTensor({n, 256}, std::vector<float>(count, static_cast<float>(n))));
      const Outputs outputs = session.evaluate(batch);
      EXPECT_EQ(outputs["y"], HostTensor({n, 256}, std::vector<float>(count, static_cast<float>(n) + 0.5f)));
    }
  };
  EXPECT_NO_THROW(run_all(1));
  EXPECT_THROW(run_all(2), Error)
      << "the budget is large enough for three programs, so the test shows nothing";
}

TEST_F(Specialisations, StayWhileATraceIsRecorded) {
  Session session = compile(scaling(), {.devices = "reference:0", .max_specialisations = 1});
  session.start_trace();
  for (int64_t n : {1, 2, 3, 1}) session.evaluate(rows(n));
  EXPECT_EQ(session.compilations(), 4);
  session.write_trace(path("trace.json"));
  session.evaluate(rows(5));
  session.evaluate(rows(1));
  EXPECT_EQ(session.compilations(), 6) << "the programs that the trace kept are released after it";
}

}  // namespace
}  // namespace cutset
