// SPDX-License-Identifier: Apache-2.0
// The communicators of the double of NCCL, and the beginning and the failure of its functions.
#pragma once
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tests/cuda/fault_requests.h"
#include "tests/cuda/libraries/driver_functions.h"
#include "tests/cuda/libraries/nccl_sum.h"
#include "tests/cuda/sanitizers.h"
#include "tests/cuda/spin_lock.h"

namespace cutset::cuda {

namespace doubles {
struct Clique;
}

struct NcclComm_t {
  std::shared_ptr<doubles::Clique> clique;
  size_t member;
  DeviceId device;
  Context context;
};

namespace doubles {

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
  int polls = 0;  // the number of calls of ncclCommGetAsyncError that still return kInProgress
  NcclStatus error = NcclStatus::kSuccess;
  std::vector<HostSum*> sums;  // the sums that are enqueued in streams
};

// `lock` guards the other members.
struct NcclState {
  SpinLock lock;
  FaultRequests requests;
  std::set<NcclComm> comms;
  std::map<std::string, std::shared_ptr<Clique>> by_id;  // groups that are being made
  std::deque<HostSum> enqueued;                          // live until the process ends
  uint64_t ids = 0, groups = 0;
  std::string message;  // the message of the last error
};
NcclState& state();

// The calls between ncclGroupStart and ncclGroupEnd on a thread.
struct Calls {
  int depth = 0;
  // The error of a call in the group, with which all calls of the group fail.
  NcclStatus error = NcclStatus::kSuccess;
  std::vector<NcclComm> inits;
  std::vector<SumCall> sums;
  std::set<NcclComm> released;
};
Calls& calls();

// Is thrown by a function that fails.
struct Failure {
  NcclStatus status;
};
// Prints the rule and fails unless `holds` is true.
void require(bool holds, const char* rule, NcclStatus otherwise = NcclStatus::kInvalidUsage);
// Fails unless a call of the driver has succeeded.
void require_success(Status status);

// Returns the functions of the driver double. Fails without it.
const DriverFunctions& driver();

// Runs the body of the function `symbol` of NCCL with the lock. Returns its status.
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

}  // namespace doubles
}  // namespace cutset::cuda
