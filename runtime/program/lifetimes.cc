// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/lifetimes.h"

#include <algorithm>
#include <array>

#include "runtime/program/check/order.h"

namespace cutset {
namespace {

// What the queues of a device know of each other.
struct QueueKnowledge {
  // By queue: how many of its instructions each instruction of the compute queue knows to be done, and how
  // many instructions of the compute queue each of its instructions knows to be done.
  std::array<std::vector<int64_t>, kQueues> known, begun;

  QueueKnowledge(const Function& f, size_t device) {
    for (size_t q = 0; q < kQueues; ++q) {
      known[q].resize(f.devices[device].queues[kComputeQueue].compute.size());
      begun[q].resize(f.devices[device].queues[q].compute.size());
    }
    const auto note = [&](const Instruction&, const checks::Action& at,
                          const checks::Clock& clock) -> Status {
      if (at.apply) return {};
      begun[static_cast<size_t>(at.queue)][at.index] = clock[kComputeQueue];
      if (at.queue == static_cast<int>(Queue::kCompute))
        for (size_t q = 0; q < kQueues; ++q) known[q][at.index] = clock[q];
      return {};
    };
    // A function whose queues wait for each other runs no instruction twice, so nothing is known of its
    // order.
    if (const auto order = checks::Order::of(f)) [[maybe_unused]]
      const Status visited = order->visit(device, note, [] { return Status(); });  // `note` cannot fail
  }

  // Extends the lifetime of a buffer that instruction `index` of queue `q` uses.
  void extend(Lifetime& lifetime, size_t q, size_t index) const {
    auto first = static_cast<int64_t>(index), last = first;
    if (q != kComputeQueue) {
      lifetime.transferred = true;
      first = begun[q][index];
      last = std::upper_bound(known[q].begin(), known[q].end(), static_cast<int64_t>(index)) -
             known[q].begin() - 1;
    }
    lifetime.first = std::min(lifetime.first, first);
    lifetime.last = std::max({lifetime.last, first, last});
  }
};

// Returns, by buffer, the buffer that owns its memory: for a tensor of a bucket, the buffer of the bucket.
std::vector<BufferId> owners_of_memory(const Function& f, size_t device) {
  std::vector<BufferId> root(f.buffers.size());  // a view refers to an earlier buffer, whose root is known
  for (size_t b = 0; b < root.size(); ++b)
    root[b] = f.buffers[b].view_of.is_set() ? root[f.buffers[b].view_of.index()] : BufferId(b);
  std::vector<BufferId> owner(root);
  for (const Sequence& s : f.devices[device].queues)
    for (const Instruction& i : s.compute)
      for (BufferId b : i.pieces()) owner[root[b.index()].index()] = i.bucket();
  for (BufferId& r : root) r = owner[r.index()];
  return root;
}

}  // namespace

std::map<BufferId, Lifetime> lifetimes_of(const Function& f, size_t device) {
  const std::vector<BufferId> owner = owners_of_memory(f, device);
  const QueueKnowledge knowledge(f, device);
  std::map<BufferId, Lifetime> lifetimes;
  for (size_t q = 0; q < kQueues; ++q) {
    const auto& list = f.devices[device].queues[q].compute;
    for (size_t i = 0; i < list.size(); ++i) {
      for (const auto used : {list[i].operands(), list[i].results()})
        for (BufferId b : used)
          if (const BufferId o = owner[b.index()]; f.buffers[o].storage == Storage::kArena)
            knowledge.extend(lifetimes[o], q, i);
    }
  }
  // The lists `apply` and the host read what `compute` has left.
  const auto count = static_cast<int64_t>(f.devices[device].queues[kComputeQueue].compute.size());
  const auto keep = [&](BufferId b) {
    if (const auto used = lifetimes.find(owner[b.index()]); used != lifetimes.end())
      used->second.last = std::max(used->second.last, count - 1);
  };
  for (const Sequence& s : f.devices[device].queues)
    for (const Instruction& i : s.apply)
      for (BufferId b : i.operands()) keep(b);
  for (const FiniteCheck& c : f.checks) {
    keep(c.flag);
    for (const FiniteCheck::Tensor& t : c.tensors) keep(t.buffer);
  }
  return lifetimes;
}

}  // namespace cutset
