// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/scratch_memory.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "graph/packing/free_gaps.h"
#include "ir/core/saturating.h"
#include "runtime/program/lifetimes.h"
#include "runtime/program/order/expand.h"
#include "runtime/program/problem_of.h"

namespace cutset {
namespace {

// Asks the kernels of one device for their scratch memory, each distinct problem once.
class ScratchOf {
 public:
  explicit ScratchOf(const DeviceDescription& device) : device_(device) {}

  Result<uint64_t> operator()(const Instruction& i, const Table<Buffer>& buffers) {
    std::optional<InstructionProblem> problem = problem_of(i, buffers, device_);
    if (!problem) return uint64_t{0};
    const auto [known, is_new] = bytes_.try_emplace(std::move(problem->key), 0);
    if (!is_new) return known->second;
    const ProblemKey& key = known->first;
    CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(problem->op->schema, key.attributes));
    CUTSET_ASSIGN(known->second, device_.scratch(static_cast<const cutset_kernel*>(key.kernel), *problem->op,
                                                 attributes.data(), key.in, key.out));
    return known->second;
  }

 private:
  const DeviceDescription& device_;
  std::unordered_map<ProblemKey, uint64_t, ProblemHash> bytes_;
};

// Returns the first multiple of `alignment` from `offset` on.
uint64_t align_up(uint64_t offset, uint64_t alignment) {
  return saturating_sum(offset, (alignment - offset % alignment) % alignment);
}

// The buffers that are alive, instruction by instruction of the list `compute` of the compute queue.
class AliveBuffers {
 public:
  AliveBuffers(const Function& f, size_t device) {
    std::vector<uint64_t> ends;
    for (const auto& [b, lifetime] : lifetimes_of(f, device)) {
      const uint64_t begin = f.buffers[b].offset, end = begin + bytes_of(f.buffers[b].type);
      changes_.push_back({lifetime.first, begin, end, true});
      changes_.push_back({lifetime.last + 1, begin, end, false});
      ends.insert(ends.end(), {begin, end});
    }
    // A buffer comes before it goes.
    std::ranges::stable_sort(changes_, {}, &Change::at);
    free_ = std::make_unique<FreeGaps>(std::move(ends));
  }

  // Returns the lowest place for `bytes` bytes while instruction `at` runs. `at` must not fall.
  uint64_t place(size_t at, uint64_t bytes, uint64_t alignment) {
    for (; next_ < changes_.size() && changes_[next_].at <= static_cast<int64_t>(at); ++next_) {
      const Change& c = changes_[next_];
      c.comes ? free_->add(c.begin, c.end) : free_->remove(c.begin, c.end);
    }
    return align_up(free_->find(saturating_sum(bytes, alignment - 1)), alignment);
  }

 private:
  struct Change {
    int64_t at;  // the index of the instruction
    uint64_t begin, end;
    bool comes;
  };
  std::vector<Change> changes_;
  size_t next_ = 0;
  std::unique_ptr<FreeGaps> free_;
};

}  // namespace

ScratchPlaces place_scratch(const Function& f, size_t device, const std::vector<uint64_t>& bytes,
                            uint64_t alignment) {
  const DevicePlan& plan = f.devices[device];
  ScratchPlaces places{.offsets = std::vector<uint64_t>(bytes.size()), .step_memory = plan.arena_bytes};
  if (std::ranges::all_of(bytes, [](uint64_t b) { return b == 0; })) return places;
  AliveBuffers alive(f, device);
  size_t kernel = 0;
  const auto place = [&](const std::vector<Instruction>& list, const auto& place_at) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is<RunKernel>()) continue;
      const size_t k = kernel++;
      if (bytes[k] == 0) continue;
      places.offsets[k] = place_at(i, bytes[k]);
      places.step_memory = std::max(places.step_memory, saturating_sum(places.offsets[k], bytes[k]));
    }
  };
  const Sequence& queue = plan.queues[kComputeQueue];
  place(queue.compute, [&](size_t i, uint64_t size) { return alive.place(i, size, alignment); });
  place(queue.apply, [&](size_t, uint64_t) { return align_up(plan.arena_bytes, alignment); });
  return places;
}

Result<std::vector<uint64_t>> step_memory(const Program& program, const DeviceList& devices) {
  std::vector<uint64_t> bytes(program.devices.size());
  std::vector<ScratchOf> scratch_of;
  for (const auto& device : devices) scratch_of.emplace_back(*device);
  for (const Function& compact : program.functions) {
    const Function expanded = compact.roles.empty() ? Function() : expand(compact);
    const Function& f = compact.roles.empty() ? compact : expanded;
    for (size_t d = 0; d < bytes.size(); ++d) {
      std::vector<uint64_t> scratch;
      const Sequence& queue = f.devices[d].queues[kComputeQueue];
      for (const auto* list : {&queue.compute, &queue.apply})
        for (const Instruction& i : *list) {
          if (!i.is<RunKernel>()) continue;
          CUTSET_ASSIGN(const uint64_t needed, scratch_of[d](i, f.buffers));
          scratch.push_back(needed);
        }
      bytes[d] = std::max(bytes[d], place_scratch(f, d, scratch, devices[d]->info().alignment).step_memory);
    }
  }
  return bytes;
}

}  // namespace cutset
