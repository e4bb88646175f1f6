// SPDX-License-Identifier: Apache-2.0
// A library that stands in for NVIDIA's NCCL in tests. Sums run on the CPU, as commands of the driver
// double's streams: a sum begins when the streams of all members have arrived, and no stream goes on before
// it is done. The library finds the driver double in the file that the environment variable
// CUTSET_CUDA_DRIVER names.
//
// The double takes what NCCL documents for one process whose communicators do not block, and refuses the rest
// with kInvalidUsage and a message: calls that would wait for the calls of other members because they are not
// in one group of calls, members on the same GPU, sums of different sizes, memory of another GPU, a
// communicator that is used while a call is in progress or after it was released. Calls are in progress until
// ncclCommGetAsyncError has been called a few times; the sums reach their streams only then.
//
// Environment variables of the driver double that hold for this library, too:
//   CUTSET_CUDA_DOUBLE_FAULTS    calls that fail (fault_requests.h), with the names and status numbers of
//   NCCL CUTSET_CUDA_DOUBLE_REPORT    1: the process prints at its end how many sums were made, and what was
//   not released
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "tests/cuda/environment.h"
#include "tests/cuda/fault_requests.h"
#include "tests/cuda/libraries/driver_functions.h"
#include "tests/cuda/libraries/nccl_sum.h"
#include "tests/cuda/sanitizers.h"
#include "tests/cuda/spin_lock.h"

#define CUTSET_NCCL_EXPORT extern "C" __attribute__((visibility("default")))

namespace cutset::cuda {

using namespace doubles;

namespace {

constexpr int kVersion = 22809;

struct Clique;

}  // namespace

struct NcclComm_t {
  std::shared_ptr<Clique> clique;
  size_t member;
  DeviceId device;
  Context context;
};

namespace {

// A call for a sum of one member.
struct SumCall {
  NcclComm comm;
  const void* from;
  void* to;
  size_t count;
  NcclType type;
  Stream stream;
};
// The communicators of a group.
struct Clique {
  std::vector<NcclComm> comms;  // by member
  std::vector<std::vector<SumCall>> in_progress;
  int polls = 0;  // how often ncclCommGetAsyncError still returns kInProgress
  NcclStatus error = NcclStatus::kSuccess;
  std::vector<HostSum*> sums;  // that the streams have
};

struct NcclState {
  SpinLock lock;
  FaultRequests requests;
  std::set<NcclComm> comms;
  std::map<std::string, std::shared_ptr<Clique>> by_id;  // groups that are being made
  std::deque<HostSum> enqueued;                          // live until the process ends
  uint64_t ids = 0, groups = 0;
  std::string message;  // of the last error
};
NcclState& state() {
  static NcclState* const made = new NcclState;
  return *made;
}

__attribute__((destructor)) void report() {
  if (environment("CUTSET_CUDA_DOUBLE_REPORT") != "1") return;
  std::fprintf(stderr, "cutset nccl double: %zu sums; not released: %zu communicators\n",
               state().enqueued.size(), state().comms.size());
}

struct Failure {
  NcclStatus status;
};
void require(bool holds, const char* rule, NcclStatus otherwise = NcclStatus::kInvalidUsage) {
  if (holds) return;
  state().message = rule;
  std::fprintf(stderr, "cutset nccl double: %s\n", rule);
  throw Failure{otherwise};
}

// The calls between ncclGroupStart and ncclGroupEnd on a thread.
struct Calls {
  int depth = 0;
  NcclStatus error = NcclStatus::kSuccess;  // of a call in the group, which fails as a whole
  std::vector<NcclComm> made;
  std::vector<SumCall> sums;
  std::set<NcclComm> released;
};
Calls& calls() {
  thread_local Calls made;
  return made;
}

const DriverFunctions& driver() {
  const DriverFunctions* const found = open_driver_functions();
  require(found, "there is no driver double", NcclStatus::kSystemError);
  return *found;
}

template <class F>
NcclStatus nccl_call(const char* symbol, F body) {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  try {
    if (const int requested = state().requests.call(symbol)) {
      state().message = "a fault that was requested";
      if (std::strcmp(symbol, "ncclGroupEnd") == 0) calls() = {};
      throw Failure{static_cast<NcclStatus>(requested)};
    }
    return body();
  } catch (const Failure& failure) {
    if (calls().depth > 0) calls().error = failure.status;
    return failure.status;
  }
}
void require_known(NcclComm comm) {
  require(comm && state().comms.contains(comm), "a communicator is used that does not exist",
          NcclStatus::kInvalidArgument);
}

class InContext {
 public:
  explicit InContext(Context context) {
    require(driver().push(context) == kSuccess, "the context of a member does not exist",
            NcclStatus::kCudaError);
  }
  ~InContext() { driver().pop(nullptr); }
};
void require_success(Status status) {
  require(status == kSuccess, "a call of the driver has failed", NcclStatus::kCudaError);
}

// Lets the streams of all members run a sum together.
void submit(Clique& clique, const std::vector<SumCall>& parts) {
  HostSum sum{.from = {}, .to = {}, .count = parts[0].count, .type = parts[0].type};
  for (const SumCall& part : parts) sum.from.push_back(part.from), sum.to.push_back(part.to);
  state().enqueued.push_back(sum);
  HostSum* const kept = &state().enqueued.back();
  clique.sums.push_back(kept);
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
    require_success(driver().launch_host(first.stream, run, kept));
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

void forget(NcclComm comm) {
  driver().release(comm->device);
  state().comms.erase(comm);
  delete comm;
}

// The end of a group of calls.
void end_inits(const std::vector<NcclComm>& made) {
  std::set<std::shared_ptr<Clique>> cliques;
  for (NcclComm comm : made) cliques.insert(comm->clique);
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

NcclStatus end_calls() {
  const Calls ended = std::exchange(calls(), {});
  if (ended.error != NcclStatus::kSuccess) return ended.error;
  end_inits(ended.made);
  end_sums(ended.sums);
  end_releases(ended.released);
  return ended.made.empty() && ended.sums.empty() ? NcclStatus::kSuccess : NcclStatus::kInProgress;
}
// Adds a call to the group of calls of the thread, or makes it alone.
template <class F>
NcclStatus add_call(F add) {
  add();
  return calls().depth > 0 ? NcclStatus::kSuccess : end_calls();
}

}  // namespace

// Starts a new test: reads CUTSET_CUDA_DOUBLE_FAULTS again. Not a function of NCCL.
extern "C" __attribute__((visibility("default"))) void cutset_nccl_double_reset() {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  state().requests = FaultRequests();
}

// The number of communicators that have not been released. Not a function of NCCL.
extern "C" __attribute__((visibility("default"))) size_t cutset_nccl_double_communicators() {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  return state().comms.size();
}

CUTSET_NCCL_EXPORT NcclStatus ncclGetVersion(int* version) {
  return nccl_call("ncclGetVersion", [&] {
    *version = kVersion;
    return NcclStatus::kSuccess;
  });
}
CUTSET_NCCL_EXPORT NcclStatus ncclGetUniqueId(NcclId* id) {
  return nccl_call("ncclGetUniqueId", [&] {
    *id = {};
    std::snprintf(id->bytes, sizeof id->bytes, "group %llu", static_cast<unsigned long long>(++state().ids));
    return NcclStatus::kSuccess;
  });
}
CUTSET_NCCL_EXPORT NcclStatus ncclCommInitRankConfig(NcclComm* comm, int members, NcclId id, int member,
                                                     NcclConfig* config) {
  return nccl_call("ncclCommInitRankConfig", [&] {
    require(comm && members > 0 && member >= 0 && member < members, "a member is out of range",
            NcclStatus::kInvalidArgument);
    require(config && config->size >= sizeof *config && config->magic == NcclConfig{}.magic,
            "the configuration is wrong", NcclStatus::kInvalidArgument);
    require(config->blocking == 0, "a communicator that blocks cannot be aborted during a call");
    const DeviceId device = driver().current_device();
    require(device >= 0, "no context is current", NcclStatus::kCudaError);
    auto& clique = state().by_id[id.bytes];
    if (!clique) clique = std::make_shared<Clique>();
    clique->comms.resize(static_cast<size_t>(members));
    require(!clique->comms[static_cast<size_t>(member)], "a member is made twice");
    Context context = nullptr;
    require_success(driver().retain(&context, device));
    *comm = new NcclComm_t{clique, static_cast<size_t>(member), device, context};
    clique->comms[static_cast<size_t>(member)] = *comm;
    state().comms.insert(*comm);
    return add_call([&] { calls().made.push_back(*comm); });
  });
}
CUTSET_NCCL_EXPORT NcclStatus ncclCommGetAsyncError(NcclComm comm, NcclStatus* error) {
  return nccl_call("ncclCommGetAsyncError", [&] {
    require_known(comm);
    Clique& clique = *comm->clique;
    *error = NcclStatus::kInProgress;
    if (clique.polls > 0 && --clique.polls > 0) return NcclStatus::kSuccess;
    for (const auto& parts : std::exchange(clique.in_progress, {})) submit(clique, parts);
    *error = clique.error;
    return NcclStatus::kSuccess;
  });
}
CUTSET_NCCL_EXPORT NcclStatus ncclCommDestroy(NcclComm comm) {
  return nccl_call("ncclCommDestroy", [&] {
    require_known(comm);
    require(comm->clique->polls == 0, "a communicator is released while a call is in progress");
    return add_call([&] { calls().released.insert(comm); });
  });
}
CUTSET_NCCL_EXPORT NcclStatus ncclCommAbort(NcclComm comm) {
  return nccl_call("ncclCommAbort", [&] {
    require_known(comm);
    comm->clique->in_progress.clear();
    for (HostSum* sum : comm->clique->sums) sum->is_aborted = true;
    return add_call([&] { calls().released.insert(comm); });
  });
}
CUTSET_NCCL_EXPORT NcclStatus ncclGroupStart() {
  return nccl_call("ncclGroupStart", [&] {
    ++calls().depth;
    return NcclStatus::kSuccess;
  });
}
CUTSET_NCCL_EXPORT NcclStatus ncclGroupEnd() {
  return nccl_call("ncclGroupEnd", [&] {
    require(calls().depth > 0, "ncclGroupEnd without ncclGroupStart");
    return --calls().depth > 0 ? NcclStatus::kSuccess : end_calls();
  });
}
CUTSET_NCCL_EXPORT NcclStatus ncclAllReduce(const void* from, void* to, size_t count, NcclType type, int op,
                                            NcclComm comm, Stream stream) {
  return nccl_call("ncclAllReduce", [&] {
    require_known(comm);
    const size_t bytes = count * bytes_of(type);
    require(op == kNcclSum && bytes > 0, "the double does not add this type", NcclStatus::kInvalidArgument);
    for (const void* at : {from, static_cast<const void*>(to)})
      require(driver().device_of(at, bytes) == comm->device,
              "the memory of a sum does not belong to the member's GPU", NcclStatus::kInvalidArgument);
    const auto *a = static_cast<const char*>(from), *b = static_cast<const char*>(to);
    require(a == b || a + bytes <= b || b + bytes <= a, "the slices of a sum overlap",
            NcclStatus::kInvalidArgument);
    return add_call([&] { calls().sums.push_back({comm, from, to, count, type, stream}); });
  });
}
CUTSET_NCCL_EXPORT const char* ncclGetErrorString(NcclStatus status) {
  switch (status) {
    case NcclStatus::kSuccess:
      return "no error";
    case NcclStatus::kCudaError:
      return "unhandled cuda error";
    case NcclStatus::kSystemError:
      return "unhandled system error";
    case NcclStatus::kInternalError:
      return "internal error";
    case NcclStatus::kInvalidArgument:
      return "invalid argument";
    case NcclStatus::kInvalidUsage:
      return "invalid usage";
    case NcclStatus::kRemoteError:
      return "remote process exited or there was a network error";
    case NcclStatus::kInProgress:
      return "NCCL operation in progress";
  }
  return "unknown result code";
}
CUTSET_NCCL_EXPORT const char* ncclGetLastError(NcclComm) { return state().message.c_str(); }

// The functions above have the types that the table declares.
#define CUTSET_COMPARE(result, member, symbol, parameters) \
  static_assert(std::is_same_v<decltype(NcclApi::member), decltype(&symbol)>);
CUTSET_CUDA_NCCL_FUNCTIONS(CUTSET_COMPARE)
#undef CUTSET_COMPARE

}  // namespace cutset::cuda
