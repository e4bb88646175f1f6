// SPDX-License-Identifier: Apache-2.0
// The objects of the double of cuBLASLt, and the beginning and the failure of its functions.
#pragma once
#include <deque>
#include <mutex>
#include <new>
#include <set>

#include "backends/cuda/blas/blas_api.h"
#include "tests/cuda/fault_requests.h"
#include "tests/cuda/libraries/blas_product.h"
#include "tests/cuda/libraries/driver_functions.h"
#include "tests/cuda/sanitizers.h"
#include "tests/cuda/spin_lock.h"

#define CUTSET_BLAS_EXPORT extern "C" __attribute__((visibility("default")))

namespace cutset::cuda {

struct BlasHandle_t {};
struct BlasProduct_t {
  int compute_type, scale_type;
  int32_t transpose_a = kBlasAsStored, transpose_b = kBlasAsStored;
  BlasEpilogue epilogue = BlasEpilogue::kNone;
  const void* bias = nullptr;
  bool has_bias() const { return epilogue == BlasEpilogue::kBias; }
};
struct BlasLayout_t {
  int type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t order = kBlasColumnMajor, batch = 1;
  int64_t batch_stride = 0;
};
struct BlasPreference_t {
  uint64_t most_workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};  // the alignments of A, B, C and D
};

// The functions of the library. A definition with other types does not compile.
#define CUTSET_DECLARE(result, member, symbol, parameters) CUTSET_BLAS_EXPORT result symbol parameters;
CUTSET_CUDA_BLAS_FUNCTIONS(CUTSET_DECLARE)
#undef CUTSET_DECLARE

}  // namespace cutset::cuda

namespace cutset::cuda::doubles {

// The objects of the library. `lock` guards the other members.
struct BlasState {
  SpinLock lock;
  FaultRequests requests;
  std::set<BlasHandle> handles;
  std::set<BlasProduct> products;
  std::set<BlasLayout> layouts;
  std::set<BlasPreference> preferences;
  std::deque<HostProduct> enqueued;  // Products live until the process ends, because graphs run them again.
};
BlasState& state();

// Is thrown by a function that fails.
struct Failure {
  BlasStatus status;
};
inline void require(bool holds, BlasStatus otherwise) {
  if (!holds) throw Failure{otherwise};
}

// Runs the body of the function `symbol` of cuBLASLt with the lock. Returns its status.
template <class F>
BlasStatus blas_call(const char* symbol, F body) {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  try {
    if (const int requested = state().requests.call(symbol)) return static_cast<BlasStatus>(requested);
    body();
    return BlasStatus::kSuccess;
  } catch (const Failure& failure) {
    return failure.status;
  } catch (const std::bad_alloc&) {
    return BlasStatus::kAllocFailed;
  }
}

// Returns the functions of the driver double. Fails without it.
const DriverFunctions& driver();

}  // namespace cutset::cuda::doubles
