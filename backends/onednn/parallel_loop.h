// SPDX-License-Identifier: Apache-2.0
// Reference kernels that run on all threads of the device, for ops that can be split along the first
// dimension.
#pragma once
#include "runtime/abi/kernel.h"

namespace cutset::onednn {

// Adds a kernel "NAME.parallel" for every op. The kernel supports a problem if it is large enough to be worth
// waking the threads, and if the op's sharding rule has a parallel factor that is dimension 0 of every
// operand and result in which it occurs. The results are bitwise equal to the results of the reference
// kernel, because the op computes each element of a shard in the same way as in the whole tensor.
void add_parallel_loops(abi::KernelTable& kernels);

}  // namespace cutset::onednn
