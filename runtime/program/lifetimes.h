// SPDX-License-Identifier: Apache-2.0
// The lifetimes of the buffers in the arena of a device.
#pragma once
#include <cstdint>
#include <map>

#include "runtime/program/program.h"

namespace cutset {

// The instructions of the compute queue (`compute` part), numbered from 0, during which a buffer may be
// alive. If another queue uses the buffer, it is alive from the first moment at which that queue may use it,
// until the compute queue has waited for the last use.
struct Lifetime {
  int64_t first = INT64_MAX, last = -1;
  bool transferred = false;  // another queue uses it
};

// Returns the lifetimes of the buffers of the arena that own their memory: buffers that are no views and no
// tensors of a bucket. What the lists `apply` and the host read is alive until the end. The function must be
// expanded and have passed check_program. Takes O(n log n) time in the size of the function.
std::map<BufferId, Lifetime> lifetimes_of(const Function& function, size_t device);

}  // namespace cutset
