// SPDX-License-Identifier: Apache-2.0
// Tests the state after a failure: an abandoned device runs no more commands, and a failed load releases its
// memory.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/execute/executable.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Program compiled(const std::string& devices, const std::string& strategy = "", int64_t rows = 8) {
  Graph g(3);
  Tensor x = g.input("x", f32, {rows, 6}), y = g.input("y", i32, {rows});
  g.minimize(mean(softmax_cross_entropy(nn::dense("b", tanh(nn::dense("a", x, 5)), 3), y)), {0.1, 0.9});
  const CompileConfig config = check(configure({.devices = devices, .strategy = strategy}));
  return check(g.state()->builder->snapshot()->compile(config)).program;
}

Result<std::span<HostTensor>> step(Executable& executable) {
  static const HostTensor x(TensorType{f32, {8, 6}}), y(TensorType{i32, {8}});
  const HostTensor* inputs[] = {&x, &y};
  return executable.run("train", inputs);
}
void write_zeros(Executor& executor, const Program& p) {
  for (const Variable& v : p.variables)
    ASSERT_TRUE(executor.variables().write(v.name, HostTensor(v.type)).ok());
}

// Uses the simulated device through its ABI. An abandoned device drops the commands that wait, and a queue
// reports this once. Afterwards the memory of the device can be read.
TEST(AbandonedDevice, DropsWhatWaitsAndStaysReadable) {
  const auto description = check(describe_devices({.devices = "sim:0"}))[0];
  constexpr uint64_t kBytes = 1 << 20;
  for (int turn = 0; turn < 50; ++turn) {
    std::vector<unsigned char> target(kBytes, 1), late(kBytes, 2);
    {
      auto device = check(OpenDevice::open(description));
      const cutset_backend& api = device->api();
      const cutset_queue waiting = check(device->queue()), busy = check(device->queue());
      const cutset_event event = check(device->own().event());
      const cutset_slice slice = {check(device->own().allocate(kBytes)), 0, kBytes};
      EXPECT_EQ(api.wait(waiting, event, 1), nullptr);
      EXPECT_EQ(api.read(waiting, &slice, target.data()), nullptr);
      std::vector<unsigned char> source(kBytes, 7);
      for (int i = 0; i < 20; ++i) EXPECT_EQ(api.write(busy, &slice, source.data()), nullptr);
      device->abandon();
      const cutset_error* dropped = api.finish(waiting);
      ASSERT_NE(dropped, nullptr);
      EXPECT_EQ(dropped->code, CUTSET_ABANDONED);
      const bool cut_off = api.finish(busy) != nullptr;
      source = {};  // a write that still ran would read freed memory
      EXPECT_EQ(api.wait(busy, event, 1), nullptr);
      EXPECT_NE(api.finish(busy), nullptr) << "a wait for an event that nobody signals any more must end";
      if (cut_off) EXPECT_EQ(api.write(busy, &slice, late.data()), nullptr);
      EXPECT_EQ(api.read(busy, &slice, late.data()), nullptr);
      EXPECT_EQ(api.finish(busy), nullptr);
      EXPECT_EQ(late, std::vector<unsigned char>(kBytes, cut_off ? 2 : 7));
    }
    EXPECT_EQ(target, std::vector<unsigned char>(kBytes, 1));
  }
}

TEST(FailedLoad, ReleasesItsMemory) {
  for (const char* strategy : {"data(2)", "pipeline(2, micro_batches=1)"}) {
    const Program good = compiled("reference:0,sim:0", strategy);
    Program bad = good;
    auto& last = bad.functions.back().devices.back().queues[static_cast<int>(Queue::kCompute)].compute;
    for (Instruction& i : last)
      if (auto* c = i.as<RunKernel>()) c->kernel = "of.nobody";
    auto executor = check(Executor::open(check(describe_devices({.devices = "reference:0,sim:0"}))));
    for (int turn = 0; turn < 3; ++turn) {
      auto failed = Executable::load(*executor, bad);
      ASSERT_FALSE(failed.ok());
      EXPECT_THAT(failed.error().what, HasSubstr("of.nobody"));
      for (size_t d = 0; d < executor->devices().size(); ++d)
        EXPECT_EQ(executor->devices().device(d).allocated_bytes(), 0u);
      EXPECT_TRUE(executor->variables().names().empty());
    }
    auto executable = check(Executable::load(*executor, good));
    write_zeros(*executor, good);
    const auto held = executor->devices().device(0).allocated_bytes();
    EXPECT_FALSE(Executable::load(*executor, bad).ok());  // must not affect the program that is loaded
    EXPECT_EQ(executor->devices().device(0).allocated_bytes(), held);
    EXPECT_TRUE(step(*executable).ok());
  }
}

// Loading a program that needs a larger arena unbinds the programs that are already loaded. In this test the
// load then fails. The programs that were loaded before are bound again when they run next.
TEST(FailedLoad, OfALargerProgramLeavesTheOthersUsable) {
  const Program good = compiled("reference:0,sim:0", "data(2)");
  Program bad = compiled("reference:0,sim:0", "data(2)", 64);
  for (Buffer& b : bad.functions.back().buffers)
    if (b.storage == Storage::kArena)
      b.offset += 1;  // not aligned, which is found when the arena has been replaced
  auto executor = check(Executor::open(check(describe_devices({.devices = "reference:0,sim:0"}))));
  auto executable = check(Executable::load(*executor, good));
  write_zeros(*executor, good);
  const auto held = executor->devices().device(0).allocated_bytes();
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_FALSE(Executable::load(*executor, bad).ok());
    EXPECT_EQ(executor->devices().arena(0).bytes(), 0u);
    EXPECT_LT(executor->devices().device(0).allocated_bytes(), held);
    const auto results = step(*executable);
    ASSERT_TRUE(results.ok());
    EXPECT_NEAR(results->front().at(0), std::log(3.0), turn == 0 ? 1e-6 : 0.1);
    EXPECT_EQ(executor->devices().device(0).allocated_bytes(), held);
  }
}

// A failed load removes its links and groups from the transport.
TEST(FailedLoad, LeavesNoLinkBehind) {
  Program bad = compiled("reference:0,sim:0", "pipeline(2, micro_batches=1)");
  ASSERT_FALSE(bad.functions.front().channels.empty());
  for (Instruction& i : bad.functions.back().devices.back().queues[static_cast<int>(Queue::kCompute)].compute)
    if (auto* c = i.as<RunKernel>()) c->kernel = "of.nobody";
  auto executor = check(Executor::open(check(describe_devices({.devices = "reference:0,sim:0"}))));
  EXPECT_FALSE(Executable::load(*executor, bad).ok());
  // A failure wakes all links and groups that are registered. The links and groups of the failed load are
  // freed. If they were still registered, AddressSanitizer would report a use after free.
  executor->health().fail(execution_failed("a failure of this test"));
  EXPECT_TRUE(executor->health().failed());
}

TEST(Executor, ALongStepIsReportedWithTheInstructionOfEachQueue) {
  const TemporaryFolder folder;
  const std::string path = folder.path("devices.json");
  std::ofstream(path) << R"({"sim:0": {"timed": 1, "link_seconds": 0.1, "launch_seconds": 0.01}})";
  const Program p = compiled("sim:0");
  auto executor = check(Executor::open(check(describe_devices({.devices = "sim:0", .device_file = path}))));
  auto executable = check(Executable::load(*executor, p));
  write_zeros(*executor, p);
  std::vector<std::string> said;
  executor->steps().report_stalls(std::chrono::milliseconds(20),
                                  [&](const std::string& text) { said.push_back(text); });
  EXPECT_TRUE(step(*executable).ok());
  ASSERT_GE(said.size(), 2u);
  EXPECT_THAT(said[0], HasSubstr("step 1 has not ended"));
  EXPECT_THAT(said[0], HasSubstr("sim:0's in queue is at instruction"));
  EXPECT_THAT(said, Contains(HasSubstr("failed_step_test.cc:")));
  said.clear();
  executor->steps().report_stalls(std::chrono::seconds(60),
                                  [&](const std::string& text) { said.push_back(text); });
  EXPECT_TRUE(step(*executable).ok());
  EXPECT_TRUE(said.empty());
}

}  // namespace
}  // namespace cutset::testing
