// The reference loops of the rooms as kernels of a host device: one kernel an op, no scratch.
#pragma once
#include <vector>

#include "runtime/abi/cutset_device.h"

namespace cutset::abi {

// "NAME.loop" for every op, in alphabetical order. The kernels live as long as the process.
const std::vector<cutset_kernel>& loop_kernels();

// Runs the loop of a problem on host memory, `in` and `out` being host addresses (null: type only).
// Allocates nothing for up to 64 operands and results. Null: done; else a sentence.
const char* run_loop(const cutset_problem* problem, void* const* in, void* const* out);

}  // namespace cutset::abi
