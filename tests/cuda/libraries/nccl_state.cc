// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/libraries/nccl_state.h"

#include <cstdio>

#include "tests/cuda/environment.h"

namespace cutset::cuda::doubles {

NcclState& state() {
  static NcclState* const all = new NcclState;
  return *all;
}

__attribute__((destructor)) static void report() {
  if (environment("CUTSET_CUDA_DOUBLE_REPORT") != "1") return;
  std::fprintf(stderr, "cutset nccl double: %zu sums; not released: %zu communicators\n",
               state().enqueued.size(), state().comms.size());
}

Calls& calls() {
  thread_local Calls of_thread;
  return of_thread;
}

void require(bool holds, const char* rule, NcclStatus otherwise) {
  if (holds) return;
  state().message = rule;
  std::fprintf(stderr, "cutset nccl double: %s\n", rule);
  throw Failure{otherwise};
}

void require_success(Status status) {
  require(status == kSuccess, "a call of the driver has failed", NcclStatus::kCudaError);
}

const DriverFunctions& driver() {
  const DriverFunctions* const found = open_driver_functions();
  require(found, "there is no driver double", NcclStatus::kSystemError);
  return *found;
}

}  // namespace cutset::cuda::doubles
