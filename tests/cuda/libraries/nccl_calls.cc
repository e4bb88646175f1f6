// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/libraries/nccl_calls.h"

#include <utility>

namespace cutset::cuda::doubles {
namespace {

class InContext {
 public:
  explicit InContext(Context context) {
    require(driver().push(context) == kSuccess, "the context of a member does not exist",
            NcclStatus::kCudaError);
  }
  ~InContext() { driver().pop(nullptr); }
};

void forget(NcclComm comm) {
  driver().release(comm->device);
  state().comms.erase(comm);
  delete comm;
}

// Makes the calls of ncclCommInitRankConfig in a group of calls.
void end_inits(const std::vector<NcclComm>& comms) {
  std::set<std::shared_ptr<Clique>> cliques;
  for (NcclComm comm : comms) cliques.insert(comm->clique);
  for (const auto& clique : cliques) {
    std::set<DeviceId> devices;
    clique->polls = 1 + static_cast<int>(state().groups++ % 3);
    for (NcclComm comm : clique->comms) {
      require(comm,
              "a communicator waits for members whose ncclCommInitRankConfig is not in the group of calls");
      if (!devices.insert(comm->device).second) clique->error = NcclStatus::kInvalidUsage;
    }
  }
}
void end_sums(const std::vector<SumCall>& sums) {
  std::map<std::shared_ptr<Clique>, std::vector<std::vector<SumCall>>> by_clique;
  for (const SumCall& call : sums) {
    require(state().comms.contains(call.comm), "a sum uses a communicator that was released");
    auto& members = by_clique[call.comm->clique];
    members.resize(call.comm->clique->comms.size());
    members[call.comm->member].push_back(call);
  }
  for (auto& [clique, members] : by_clique) {
    require(clique->polls == 0, "a communicator is used while a call is in progress");
    for (const auto& of_member : members)
      require(of_member.size() == members[0].size(),
              "a sum waits for members that are not in the group of calls");
    for (size_t i = 0; i < members[0].size(); ++i) {
      auto& parts = clique->in_progress.emplace_back();
      for (const auto& of_member : members) parts.push_back(of_member[i]);
      for (const SumCall& part : parts)
        require(part.count == parts[0].count && part.type == parts[0].type,
                "the members of a sum differ in size or type");
    }
    clique->polls = 1 + static_cast<int>(state().groups++ % 3);
  }
}
void end_releases(const std::set<NcclComm>& released) {
  for (NcclComm comm : released)
    for (NcclComm other : comm->clique->comms)
      require(!other || released.contains(other),
              "a communicator is released without those of the other members");
  for (NcclComm comm : released) forget(comm);
}

}  // namespace

void submit(Clique& clique, const std::vector<SumCall>& parts) {
  HostSum sum{.from = {}, .to = {}, .count = parts[0].count, .type = parts[0].type};
  for (const SumCall& part : parts) {
    sum.from.push_back(part.from);
    sum.to.push_back(part.to);
  }
  state().enqueued.push_back(sum);
  HostSum* const enqueued = &state().enqueued.back();
  clique.sums.push_back(enqueued);
  std::vector<DriverEvent> events;
  const auto record = [&](const SumCall& part) {
    const InContext current(part.comm->context);
    require_success(driver().make_event(&events.emplace_back(), kEventDisableTiming));
    require_success(driver().record(events.back(), part.stream));
  };
  for (const SumCall& part : parts) record(part);
  const SumCall& first = parts[0];
  {
    const InContext current(first.comm->context);
    for (DriverEvent arrived : events) require_success(driver().wait(first.stream, arrived, 0));
    const auto run = [](void* data) {
      if (const auto& s = *static_cast<const HostSum*>(data); !s.is_aborted) add_members(s);
    };
    require_success(driver().launch_host(first.stream, run, enqueued));
  }
  record(first);
  for (const SumCall& part : parts) {
    const InContext current(part.comm->context);
    require_success(driver().wait(part.stream, events.back(), 0));
  }
  for (size_t i = 0; i < events.size(); ++i) {
    const InContext current(parts[i % parts.size()].comm->context);
    driver().release_event(events[i]);
  }
}

NcclStatus end_calls() {
  const Calls ended = std::exchange(calls(), {});
  if (ended.error != NcclStatus::kSuccess) return ended.error;
  end_inits(ended.inits);
  end_sums(ended.sums);
  end_releases(ended.released);
  return ended.inits.empty() && ended.sums.empty() ? NcclStatus::kSuccess : NcclStatus::kInProgress;
}

}  // namespace cutset::cuda::doubles
