// SPDX-License-Identifier: Apache-2.0
// A library that stands in for NVIDIA's NCCL in tests. Sums run on the CPU, as commands of the driver
// double's streams: a sum begins when the streams of all members have arrived, and no stream goes on before
// the sum is done. The library finds the driver double in the file that the environment variable
// CUTSET_CUDA_DRIVER names.
//
// The double accepts the calls that NCCL documents for one process whose communicators do not block. It
// refuses other calls with kInvalidUsage and a message:
// - calls that would wait for the calls of other members because they are not in one group of calls,
// - members on the same GPU,
// - sums of different sizes,
// - memory of another GPU, and
// - a communicator that is used while a call is in progress or after it was released.
//
// A call is in progress until ncclCommGetAsyncError has been called a few times. The sums reach their streams
// only then.
//
// Environment variables of the driver double that also hold for this library:
// - CUTSET_CUDA_DOUBLE_FAULTS: calls that fail (fault_requests.h), with the names and status numbers of NCCL.
// - CUTSET_CUDA_DOUBLE_REPORT: with 1, the process prints at its end how many sums were made, and which
//   objects were not released.
#include <cstdio>
#include <type_traits>
#include <utility>

#include "tests/cuda/libraries/nccl_calls.h"

#define CUTSET_NCCL_EXPORT extern "C" __attribute__((visibility("default")))

namespace cutset::cuda {

using namespace doubles;

namespace {

constexpr int kVersion = 22809;

void require_known(NcclComm comm) {
  require(comm && state().comms.contains(comm), "a communicator is used that does not exist",
          NcclStatus::kInvalidArgument);
}

// Adds a call to the group of calls of the thread, or makes it at once if there is no group.
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

// Returns the number of communicators that have not been released. Not a function of NCCL.
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
    return add_call([&] { calls().inits.push_back(*comm); });
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
