// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/forecast.h"

#include <gtest/gtest.h>

#include <optional>

#include "ir/core/philox.h"

namespace cutset {
namespace {

// Returns a function in which some buffers are views of earlier buffers, and some are constants. Kernels of a
// queue read and write any of them.
Function random_function(uint64_t seed) {
  PhiloxSequence random(seed, 5);
  Function f;
  f.devices.resize(1);
  const auto buffers = static_cast<int32_t>(1 + random.below(20));
  for (int32_t b = 0; b < buffers; ++b) {
    Buffer& buffer = f.buffers.emplace_back();
    buffer.type = {DType::u8, {static_cast<int64_t>(random.below(100))}};
    if (random.below(5) == 0) buffer.storage = Storage::kConstant;
    if (b == 0 || random.below(4) != 0) continue;
    buffer.view_of = BufferId(random.below(static_cast<uint64_t>(b)));
    buffer.storage = f.buffers[buffer.view_of].storage;
  }
  for (int q = 0; q < kQueues; ++q)
    for (uint64_t n = random.below(q == static_cast<int>(Queue::kCompute) ? 20 : 3); n > 0; --n) {
      RunKernel kernel;
      auto any = [&] { return BufferId(random.below(static_cast<uint64_t>(buffers))); };
      for (uint64_t o = random.below(3); o > 0; --o) kernel.operands.push_back(any());
      kernel.results.push_back(any());
      f.devices[0].queues[q].compute.push_back({.command = kernel});
    }
  return f;
}

// Whether the memory of buffer `b` is alive while instruction `at` of the compute queue runs; nullopt: it is
// alive for the whole step, because another queue uses it.
std::optional<bool> alive(const Function& f, BufferId b, size_t at) {
  auto touches = [&](const Instruction& i) {
    auto root = [&](BufferId v) {
      while (f.buffers[v].view_of.is_set()) v = f.buffers[v].view_of;
      return v;
    };
    for (const auto list : {i.operands(), i.results()})
      for (BufferId v : list)
        if (root(v) == b) return true;
    return false;
  };
  bool before = false, after = false;
  for (int q = 0; q < kQueues; ++q) {
    const auto& list = f.devices[0].queues[q].compute;
    for (size_t i = 0; i < list.size(); ++i) {
      if (!touches(list[i])) continue;
      if (q != static_cast<int>(Queue::kCompute)) return std::nullopt;
      before |= i <= at;
      after |= i >= at;
    }
  }
  return before && after;
}

TEST(Forecast, CountsTheBytesThatAreAliveAtEachInstruction) {
  uint64_t activations = 0, transfers = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Function f = random_function(seed);
    const auto got = bytes_alive(f, 0);
    const size_t instructions = f.devices[0].queues[static_cast<int>(Queue::kCompute)].compute.size();
    ASSERT_EQ(got.size(), instructions);
    for (size_t i = 0; i < instructions; ++i) {
      Alive want;
      for (size_t b = 0; b < f.buffers.size(); ++b) {
        const Buffer& buffer = f.buffers[b];
        if (buffer.view_of.is_set() || buffer.storage != Storage::kArena) continue;
        const auto is = alive(f, BufferId(b), i);
        if (is.value_or(true))
          (is ? want.activations : want.transfers) += static_cast<uint64_t>(buffer.type.bytes());
      }
      EXPECT_EQ(got[i].activations, want.activations) << "seed " << seed << ", instruction " << i;
      EXPECT_EQ(got[i].transfers, want.transfers) << "seed " << seed << ", instruction " << i;
      activations += want.activations;
      transfers += want.transfers;
    }
  }
  EXPECT_GT(activations, 0u);
  EXPECT_GT(transfers, 0u);
}

// The in queue writes buffer 0 when the compute queue has run instruction 0, and instruction 2 waits for it.
// The out queue reads buffer 1, and instruction 4 waits until it has done so.
TEST(Forecast, CountsATransferUntilTheQueuesHaveWaitedForIt) {
  Function f;
  f.devices.resize(1);
  f.devices[0].events = 4;
  for (int b = 0; b < 3; ++b) f.buffers.emplace_back().type = {DType::u8, {1 << b}};
  auto& [in, compute, out] = f.devices[0].queues;
  const auto kernel = [](std::vector<BufferId> operands, std::vector<BufferId> results) -> Instruction {
    RunKernel k;
    k.operands = std::move(operands);
    k.results = std::move(results);
    return {.command = k};
  };
  const BufferId arriving(0), leaving(1), inner(2);
  const EventId room(0), arrived(1), ready(2), left(3);
  compute.compute = {
      kernel({}, {inner}),           {.command = SignalEvent{room}},  {.command = AwaitEvent{arrived}},
      kernel({arriving}, {leaving}), {.command = SignalEvent{ready}}, {.command = AwaitEvent{left}},
      kernel({inner}, {inner})};
  in.compute = {{.command = AwaitEvent{room}}, kernel({}, {arriving}), {.command = SignalEvent{arrived}}};
  out.compute = {{.command = AwaitEvent{ready}}, kernel({leaving}, {}), {.command = SignalEvent{left}}};
  std::vector<uint64_t> transfers;
  for (const Alive& a : bytes_alive(f, 0)) {
    transfers.push_back(a.transfers);
    EXPECT_EQ(a.activations, 4u);
  }
  EXPECT_EQ(transfers, (std::vector<uint64_t>{0, 0, 1, 3, 2, 2, 0}));
}

// Rows that are not contiguous in the tensor of the host are copied through staging memory.
TEST(Forecast, CountsTheStagingMemoryOfInputsAndOutputs) {
  const auto bytes = [](int32_t dimension, bool is_input, bool apply) {
    Program p;
    Function& f = p.functions.emplace_back();
    f.devices.resize(1);
    const TensorType whole{DType::f32, {8, 8}};
    f.inputs.push_back({"x", whole});
    f.outputs.push_back({"y", whole});
    Shape part = whole.shape;
    part[static_cast<size_t>(dimension)] = 5;
    f.buffers.push_back({.type = {DType::f32, part}});
    const FirstRow first{dimension, 3};
    Sequence& queue = f.devices[0].queues[static_cast<int>(is_input ? Queue::kIn : Queue::kOut)];
    (apply ? queue.apply : queue.compute)
        .push_back({.command = is_input ? Command(ReadInput{PortId(0), first, BufferId(0)})
                                        : Command(WriteOutput{PortId(0), first, BufferId(0)})});
    return host_bytes(p);
  };
  for (const bool is_input : {true, false})
    for (const bool apply : {true, false})
      EXPECT_EQ(bytes(1, is_input, apply) - bytes(0, is_input, apply), 8u * 5 * 4) << is_input << apply;
}

// A variable with a copy on each of two devices that use the memory of the machine, and the same with a
// device that has its own limit.
TEST(Forecast, TheMachineHasRoomForAllDevicesTogether) {
  const auto described = describe_devices({.devices = "reference:0,sim:0"});
  ASSERT_TRUE(described.ok()) << described.error().text();
  Program program;
  program.devices = {"reference:0", "sim:0"};
  Variable& v = program.variables.emplace_back();
  v.name = "w";
  v.type = {DType::f32, {1000}};
  v.homes = {0, 1};
  const auto fits = [&](const DeviceList& devices, std::vector<TakenMemory> taken, uint64_t usable) {
    return check_machine({program, devices, {0, 0}, std::move(taken)}, usable);
  };
  EXPECT_TRUE(fits(*described, {{}, {}}, 8000).ok());
  const Status refused = fits(*described, {{}, {}}, 7999);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what.find(
                "the program takes 8000 bytes of this machine's memory, which has 7999; 4000 of them "
                "are for device 'reference:0': variables 4000 (the largest is 'w' of the type 1000xf32), "
                "optimizer 0"),
            0u)
      << refused.error().what;
  EXPECT_EQ(refused.error().hint.find("the variables do not fit, whatever the batch is: use "), 0u);
  EXPECT_FALSE(fits(*described, {{4000, 10}, {}}, 8009).ok()) << "an arena is there already";
  EXPECT_TRUE(fits(*described, {{4000, 10}, {}}, 8010).ok());
  const Status arena = fits(*described, {{4000, 10}, {}}, 8009);
  EXPECT_EQ(arena.error().hint.find("use a smaller batch, "), 0u) << "the variables alone fit";
  DeviceList limited = *described;
  cutset_device_info info = limited[1]->info();
  info.memory_bytes = 1;
  limited[1] = std::make_shared<const DeviceDescription>(&limited[1]->backend(), info, "sim:0");
  EXPECT_TRUE(fits(limited, {{}, {}}, 4000).ok());
}

// Scratch memory counts as far as it extends beyond the arena.
TEST(Forecast, CountsScratchMemoryBeyondTheArena) {
  const auto described = describe_devices({.devices = "sim:0"});
  ASSERT_TRUE(described.ok()) << described.error().text();
  cutset_device_info info = (*described)[0]->info();
  Program program;
  program.devices = {"sim:0"};
  program.functions.emplace_back().devices.resize(1);
  program.functions[0].devices[0].arena_bytes = 100;
  const auto fits = [&](uint64_t step_memory, uint64_t budget) {
    info.memory_bytes = budget;
    const DeviceList devices = {
        std::make_shared<const DeviceDescription>(&(*described)[0]->backend(), info, "sim:0")};
    return check_budgets({program, devices, {step_memory}, {{}}});
  };
  EXPECT_TRUE(fits(90, 100).ok());
  EXPECT_FALSE(fits(90, 99).ok());
  EXPECT_TRUE(fits(1128, 1128).ok());
  EXPECT_FALSE(fits(1128, 1127).ok());
  EXPECT_NE(fits(1128, 1).error().what.find("arena 100, scratch memory 1028"), std::string::npos)
      << fits(1128, 1).error().what;
  EXPECT_FALSE(fits(UINT64_MAX, UINT64_MAX - 1).ok());
}

}  // namespace
}  // namespace cutset
