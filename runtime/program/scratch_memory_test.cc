// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/scratch_memory.h"

#include <gtest/gtest.h>

#include "ir/core/philox.h"

namespace cutset {
namespace {

// Returns a function whose buffers lie at random places of the arena; some are views. Kernels of the three
// queues, and of the list `apply` of the compute queue, read and write any of them.
Function function_of_kernels(uint64_t seed) {
  PhiloxSequence random(seed, 9);
  Function f;
  f.devices.resize(1);
  f.devices[0].arena_bytes = 2000;
  const auto buffers = 1 + random.below(12);
  for (uint64_t b = 0; b < buffers; ++b) {
    Buffer& buffer = f.buffers.emplace_back();
    buffer.offset = random.below(120) * 16;
    buffer.type = {DType::u8, {static_cast<int64_t>(1 + random.below(80))}};
    if (b == 0 || random.below(4) != 0) continue;
    buffer.view_of = BufferId(random.below(b));
    buffer.offset = f.buffers[buffer.view_of].offset;
    buffer.type = f.buffers[buffer.view_of].type;
  }
  const auto kernels = [&](std::vector<Instruction>& list, uint64_t most) {
    for (uint64_t n = random.below(most); n > 0; --n) {
      RunKernel kernel;
      for (uint64_t o = random.below(3); o > 0; --o) kernel.operands.emplace_back(random.below(buffers));
      kernel.results.emplace_back(random.below(buffers));
      list.push_back({.command = kernel});
    }
  };
  for (Sequence& queue : f.devices[0].queues) kernels(queue.compute, 3);
  kernels(f.devices[0].queues[static_cast<int>(Queue::kCompute)].compute, 15);
  kernels(f.devices[0].queues[static_cast<int>(Queue::kCompute)].apply, 3);
  return f;
}

// Whether the memory of buffer `b` may hold a value while instruction `at` of the list `compute` runs.
// Without events, the other queues may use a buffer at any time.
bool may_be_alive(const Function& f, BufferId b, size_t at) {
  const auto uses = [&](const Instruction& i, bool reads_only) {
    const auto list = [&](std::span<const BufferId> buffers) {
      for (BufferId v : buffers) {
        while (f.buffers[v].view_of.is_set()) v = f.buffers[v].view_of;
        if (v == b) return true;
      }
      return false;
    };
    return list(i.operands()) || (!reads_only && list(i.results()));
  };
  bool before = false, after = false;
  for (size_t q = 0; q < kQueues; ++q) {
    const Sequence& queue = f.devices[0].queues[q];
    for (size_t i = 0; i < queue.compute.size(); ++i) {
      if (!uses(queue.compute[i], false)) continue;
      if (q != static_cast<size_t>(Queue::kCompute)) return true;
      before |= i <= at;
      after |= i >= at;
    }
    for (const Instruction& i : queue.apply) after |= uses(i, true);
  }
  return before && after;
}

TEST(ScratchMemory, OverlapsNoBufferThatMayBeAlive) {
  int inside = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Function f = function_of_kernels(seed);
    const Sequence& queue = f.devices[0].queues[static_cast<int>(Queue::kCompute)];
    PhiloxSequence random(seed, 10);
    std::vector<uint64_t> bytes;
    for (size_t k = 0; k < queue.compute.size() + queue.apply.size(); ++k)
      bytes.push_back(random.below(4) ? random.below(500) : 0);
    const ScratchPlaces places = place_scratch(f, 0, bytes, 64);
    ASSERT_EQ(places.offsets.size(), bytes.size());
    uint64_t most = 2000;
    for (size_t k = 0; k < bytes.size(); ++k) {
      if (bytes[k] == 0) continue;
      EXPECT_EQ(places.offsets[k] % 64, 0u);
      most = std::max(most, places.offsets[k] + bytes[k]);
      if (k >= queue.compute.size()) {
        EXPECT_GE(places.offsets[k], 2000u) << "apply, seed " << seed;
        continue;
      }
      inside += places.offsets[k] < 2000;
      for (size_t b = 0; b < f.buffers.size(); ++b)
        if (!f.buffers[b].view_of.is_set() && may_be_alive(f, BufferId(b), k)) {
          const uint64_t begin = f.buffers[b].offset, end = begin + bytes_of(f.buffers[b].type);
          EXPECT_TRUE(places.offsets[k] >= end || places.offsets[k] + bytes[k] <= begin)
              << "seed " << seed << ", kernel " << k << ", buffer " << b;
        }
    }
    EXPECT_EQ(places.step_memory, most) << "seed " << seed;
  }
  EXPECT_GT(inside, 100) << "scratch memory reuses the arena";
}

TEST(ScratchMemory, SumsSaturate) {
  Function f = function_of_kernels(1);
  f.devices[0].queues[static_cast<int>(Queue::kCompute)].compute = {{.command = RunKernel{}}};
  f.devices[0].queues[static_cast<int>(Queue::kCompute)].apply = {{.command = RunKernel{}}};
  EXPECT_EQ(place_scratch(f, 0, {0, 0}, 64).step_memory, 2000u);
  EXPECT_EQ(place_scratch(f, 0, {UINT64_MAX, 0}, 64).step_memory, UINT64_MAX);
  EXPECT_EQ(place_scratch(f, 0, {0, UINT64_MAX}, 64).step_memory, UINT64_MAX);
  EXPECT_EQ(place_scratch(f, 0, {0, 100}, 64).step_memory, 2048u + 100);
}

}  // namespace
}  // namespace cutset
