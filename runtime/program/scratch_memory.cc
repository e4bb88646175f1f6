// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/scratch_memory.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/core/op/op_info.h"
#include "ir/core/op/problem_key.h"
#include "ir/core/saturating.h"
#include "runtime/program/lifetimes.h"
#include "runtime/program/order/expand.h"

namespace cutset {
namespace {

// Asks the kernels of one device for their scratch memory, each distinct problem once.
class ScratchOf {
 public:
  explicit ScratchOf(const DeviceDescription& device) : device_(device) {}

  Result<uint64_t> operator()(const Instruction& i, const Table<Buffer>& buffers) {
    const RunKernel* c = i.as<RunKernel>();
    const OpInfo* op = find_op(i.op());
    const cutset_kernel* kernel = device_.find_kernel(c->kernel);
    if (!op || !kernel || i.op() != kernel->op) return uint64_t{0};
    ProblemKey key{kernel, c->attributes, {}, {}};
    for (BufferId b : c->operands) key.in.push_back(buffers[b].type);
    for (BufferId b : c->results) key.out.push_back(buffers[b].type);
    const auto [known, is_new] = bytes_.try_emplace(std::move(key), 0);
    if (!is_new) return known->second;
    CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op->schema, c->attributes));
    CUTSET_ASSIGN(known->second,
                  device_.scratch(kernel, *op, attributes.data(), known->first.in, known->first.out));
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

// Returns, for each instruction of the list `compute` of the compute queue, the first byte of the arena from
// which on no buffer is alive while the instruction runs.
std::vector<uint64_t> ends_of_alive(const Function& f, size_t device) {
  struct Change {
    int64_t at;
    uint64_t end;
    bool begins;
  };
  std::vector<Change> changes;
  for (const auto& [b, lifetime] : lifetimes_of(f, device)) {
    const Buffer& buffer = f.buffers[b];
    const uint64_t end = buffer.offset + bytes_of(buffer.type);
    changes.push_back({lifetime.first, end, true});
    changes.push_back({lifetime.last + 1, end, false});
  }
  std::ranges::sort(changes, {}, &Change::at);
  std::vector<uint64_t> ends;
  std::multiset<uint64_t> alive;
  auto next = changes.begin();
  const auto count = static_cast<int64_t>(f.devices[device].queues[kComputeQueue].compute.size());
  // All changes before instruction i count. A buffer begins before it ends, so the order of the changes at
  // one instruction does not matter.
  for (int64_t i = 0; i < count; ++i) {
    for (; next != changes.end() && next->at <= i; ++next)
      if (next->begins)
        alive.insert(next->end);
      else
        alive.erase(alive.find(next->end));
    ends.push_back(alive.empty() ? 0 : *alive.rbegin());
  }
  return ends;
}

}  // namespace

ScratchPlaces place_scratch(const Function& f, size_t device, const std::vector<uint64_t>& bytes,
                            uint64_t alignment) {
  const DevicePlan& plan = f.devices[device];
  ScratchPlaces places{.offsets = std::vector<uint64_t>(bytes.size()), .step_memory = plan.arena_bytes};
  if (std::ranges::all_of(bytes, [](uint64_t b) { return b == 0; })) return places;
  const std::vector<uint64_t> ends = ends_of_alive(f, device);
  size_t kernel = 0;
  const auto place = [&](uint64_t end) {
    const size_t k = kernel++;
    if (bytes[k] == 0) return;
    places.offsets[k] = align_up(end, alignment);
    places.step_memory = std::max(places.step_memory, saturating_sum(places.offsets[k], bytes[k]));
  };
  const Sequence& queue = plan.queues[kComputeQueue];
  for (size_t i = 0; i < queue.compute.size(); ++i)
    if (queue.compute[i].is<RunKernel>()) place(ends[i]);
  for (const Instruction& i : queue.apply)
    if (i.is<RunKernel>()) place(plan.arena_bytes);
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
