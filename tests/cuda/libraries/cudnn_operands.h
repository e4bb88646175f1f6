// SPDX-License-Identifier: Apache-2.0
// The memory of an execution of a convolution, and the rules of plans.h for it.
#pragma once
#include <string>
#include <vector>

#include "backends/cuda/cudnn/plans.h"
#include "tests/cuda/libraries/driver_functions.h"

namespace cutset::cuda::doubles {

// A tensor or the workspace of an execution.
struct Operand {
  const char* name;
  MemoryRange range;
  bool is_written;
};

// Returns the tensors of a convolution, and its workspace if `workspace`, its size in bytes, is not 0.
std::vector<Operand> operands_of(const Convolution& c, const ConvolutionMemory& memory, uint64_t workspace);

// Returns an empty text, or the first rule that the operands of an execution on a GPU violate. The addresses
// must be aligned and lie in memory that the GPU has allocated. No operand may overlap an operand that is
// written.
std::string operand_problem(const std::vector<Operand>& operands, const DriverFunctions& driver, int gpu);

}  // namespace cutset::cuda::doubles
