// SPDX-License-Identifier: Apache-2.0
// Makes the calls of a group of calls in the double of NCCL. The caller holds the lock of the state.
#pragma once
#include <vector>

#include "tests/cuda/libraries/nccl_state.h"

namespace cutset::cuda::doubles {

// Lets the streams of all members run a sum together.
void submit(Clique& clique, const std::vector<SumCall>& parts);

// Makes the calls that the thread has added since ncclGroupStart. Fails if one of them waits for a call of
// another member that is missing.
NcclStatus end_calls();

}  // namespace cutset::cuda::doubles
