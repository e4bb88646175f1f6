// What is left after something has failed: nothing runs on, and what was taken is given back.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "frontends/cpp/graph_state.h"
#include "runtime/executable.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;

Program compiled(const std::string& devices, const std::string& strategy = "") {
  Graph g(3);
  Tensor x = g.input("x", f32, {8, 6}), y = g.input("y", i32, {8});
  g.minimize(mean(softmax_cross_entropy(nn::dense(g, "b", tanh(nn::dense(g, "a", x, 5)), 3), y)), {0.1, 0.9});
  CompileRequest request;
  request.devices.devices = devices, request.strategy = strategy;
  return check(g.state()->builder->snapshot()->compile(request)).program;
}

Result<std::span<const HostTensor>> step(Executable& executable) {
  static const HostTensor x(TensorType{f32, {8, 6}}), y(TensorType{i32, {8}});
  const HostTensor* inputs[] = {&x, &y};
  return executable.run("train", inputs);
}
void write_zeros(Machine& machine, const Program& p) {
  for (const Variable& v : p.variables) ASSERT_TRUE(machine.write_variable(v.name, HostTensor(v.type)).ok());
}

// The simulated device through its ABI: once it is abandoned, neither what waits nor what comes is carried out.
TEST(AbandonedDevice, TouchesNothingAnyMore) {
  const auto description = check(describe_devices({.devices = "sim:0"}))[0];
  constexpr uint64_t kBytes = 1 << 20;
  for (int turn = 0; turn < 50; ++turn) {
    std::vector<unsigned char> target(kBytes, 1), late(kBytes, 2);
    {
      auto device = check(OpenDevice::open(description));
      const cutset_backend& api = device->api();
      const cutset_queue waiting = check(device->queue()), busy = check(device->queue());
      const cutset_event event = check(device->event());
      const cutset_buffer buffer = check(device->allocate(kBytes));
      const cutset_tensor tensor = check(device->tensor(buffer, 0, kBytes));
      EXPECT_EQ(api.wait(waiting, event, 1), nullptr);
      EXPECT_EQ(api.read(waiting, tensor, target.data(), kBytes), nullptr);
      std::vector<unsigned char> source(kBytes, 7);
      for (int i = 0; i < 20; ++i) EXPECT_EQ(api.write(busy, tensor, source.data(), kBytes), nullptr);
      device->abandon();
      EXPECT_NE(api.finish(waiting), nullptr);
      EXPECT_NE(api.finish(busy), nullptr);
      source = {};  // a write that still ran would read what is freed
      EXPECT_EQ(api.signal(busy, event, 1), nullptr);
      EXPECT_EQ(api.read(busy, tensor, late.data(), kBytes), nullptr);
      EXPECT_NE(api.finish(busy), nullptr) << "the read was not carried out, so it is no success";
    }
    EXPECT_EQ(target, std::vector<unsigned char>(kBytes, 1));
    EXPECT_EQ(late, std::vector<unsigned char>(kBytes, 2));
  }
}

TEST(FailedLoad, GivesBackWhatItTook) {
  for (const char* strategy : {"data(2)", "model"}) {
    const Program good = compiled("reference:0,sim:0", strategy);
    Program bad = good;
    auto& last = bad.functions.back().devices.back().queues[static_cast<int>(Queue::kCompute)].compute;
    for (Instruction& i : last)
      if (i.kind == Instruction::Kind::kKernel) i.kernel = "of.nobody";
    auto machine = check(Machine::open(check(describe_devices({.devices = "reference:0,sim:0"}))));
    for (int turn = 0; turn < 3; ++turn) {
      auto failed = Executable::load(*machine, bad);
      ASSERT_FALSE(failed.ok());
      EXPECT_THAT(failed.error().what, HasSubstr("of.nobody"));
      for (size_t d = 0; d < machine->size(); ++d) EXPECT_EQ(machine->device(d).allocated_bytes(), 0u);
      EXPECT_TRUE(machine->variable_names().empty());
    }
    auto executable = check(Executable::load(*machine, good));
    write_zeros(*machine, good);
    const auto held = machine->device(0).allocated_bytes();
    EXPECT_FALSE(Executable::load(*machine, bad).ok());  // the good one keeps what it has
    EXPECT_EQ(machine->device(0).allocated_bytes(), held);
    EXPECT_TRUE(step(*executable).ok());
  }
}

// A failing step wakes the mailboxes and sums that there are, not those of a program that is gone.
TEST(FailedLoad, LeavesNoMailboxBehind) {
  Program bad = compiled("reference:0,sim:0");
  ASSERT_FALSE(bad.functions.front().channels.empty());
  for (Instruction& i : bad.functions.back().devices.back().queues[static_cast<int>(Queue::kCompute)].compute)
    if (i.kind == Instruction::Kind::kKernel) i.kernel = "of.nobody";
  auto machine = check(Machine::open(check(describe_devices({.devices = "reference:0,sim:0"}))));
  EXPECT_FALSE(Executable::load(*machine, bad).ok());
  // A failure wakes whatever waits at a mailbox. Those of the failed load are gone, as AddressSanitizer would tell.
  machine->fail(execution_failed("a failure of this test"));
  EXPECT_TRUE(machine->failed());
}

TEST(Machine, AStepThatTakesLongIsReportedWithWhereItIs) {
  const std::string path = ::testing::TempDir() + "slow-" + std::to_string(::getpid()) + ".json";
  std::ofstream(path) << R"({"sim:0": {"timed": 1, "link_seconds": 0.5, "launch_seconds": 0.01}})";
  const Program p = compiled("sim:0");
  auto machine = check(Machine::open(check(describe_devices({.devices = "sim:0", .device_file = path}))));
  std::filesystem::remove(path);
  auto executable = check(Executable::load(*machine, p));
  write_zeros(*machine, p);
  std::vector<std::string> said;
  machine->report_stalls(0.1, [&](const std::string& sentence) { said.push_back(sentence); });
  EXPECT_TRUE(step(*executable).ok());
  ASSERT_GE(said.size(), 2u);
  EXPECT_THAT(said[0], HasSubstr("step 1 has not ended"));
  EXPECT_THAT(said[0], HasSubstr("sim:0's in queue is at instruction"));
  EXPECT_THAT(said[0], HasSubstr("failed_step_test.cc:"));
  said.clear();
  machine->report_stalls(60, [&](const std::string& sentence) { said.push_back(sentence); });
  EXPECT_TRUE(step(*executable).ok());
  EXPECT_TRUE(said.empty());
}

}  // namespace
}  // namespace cutset::testing
