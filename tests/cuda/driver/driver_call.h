// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of all functions of the driver double: they hold the lock, count the call, check
// the current context, and turn exceptions into a status.
#pragma once
#include <mutex>
#include <new>

#include "tests/cuda/driver/driver_state.h"

#define CUTSET_EXPORT extern "C" __attribute__((visibility("default"))) ::cutset::cuda::Status

namespace cutset::cuda::doubles {

// Is thrown by the body of a function, which then returns the status.
struct Failure {
  Status status;
};
inline void require(bool holds, Status otherwise) {
  if (!holds) throw Failure{otherwise};
}

enum class Needs {
  kNothing,
  kInit,             // cuInit
  kContext,          // a current context without a fault
  kContextToRelease  // a current context; after a fault, the function does its work and returns the fault
};

// Returns the contexts that the calling thread has pushed.
std::vector<Context>& context_stack();
// Returns the current context. There must be one.
inline Context_t& current() { return *context_stack().back(); }

// Runs `body`, the body of the function `symbol`.
template <class F>
Status driver_call(const char* symbol, Needs needs, F body) {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  try {
    if (const Status requested = state().requests.call(symbol); requested != kSuccess) return requested;
    if (needs != Needs::kNothing) require(state().initialized, kNotInitialized);
    if (needs == Needs::kNothing || needs == Needs::kInit) {
      body();
      return kSuccess;
    }
    require(!context_stack().empty() && current().retained > 0, kInvalidContext);
    if (needs == Needs::kContext) require(current().fault == kSuccess, current().fault);
    body();
    return needs == Needs::kContextToRelease ? current().fault : kSuccess;
  } catch (const Failure& failure) {
    return failure.status;
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  }
}

}  // namespace cutset::cuda::doubles
