// SPDX-License-Identifier: Apache-2.0
// The operations in which threads of a warp meet: __syncwarp, shuffles and votes.
#pragma once
#include <string>

#include "tests/cuda/emulator/cuda_thread.h"

namespace cutset::cuda::doubles {

inline constexpr unsigned long long kNan = ~0ull;  // a NaN as a float and as a double, and -1 as an integer

// The effect of a thread that arrives at an operation or returns.
struct WarpStep {
  unsigned released = 0;           // the lanes for which the operation has ended
  const Thread* failed = nullptr;  // the thread with an error, if any
  std::string error = {};
};

// Adds a waiting thread to its operation. If all threads of the mask have arrived, computes their results and
// releases them.
WarpStep arrive(Warp& warp, unsigned lane);
// Fails if a thread waits for the lane `returned`, whose thread has returned.
WarpStep check_returned(const Warp& warp, unsigned returned);

// Returns a text such as "thread (1, 2, 3) waits at line 4".
std::string place_of(const Thread& thread);

}  // namespace cutset::cuda::doubles
