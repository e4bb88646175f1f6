// SPDX-License-Identifier: Apache-2.0
// The problems of the kernels of a program.
#pragma once
#include <optional>

#include "ir/core/op/problem_key.h"
#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset {

// The problem that a RunKernel instruction gives to its kernel on a device.
struct InstructionProblem {
  const OpInfo* op;
  ProblemKey key;
  const cutset_kernel* kernel() const { return static_cast<const cutset_kernel*>(key.kernel); }
};

// Returns the problem of a RunKernel instruction whose buffers are in `buffers`. Returns nothing if the
// device has no such kernel for the op.
std::optional<InstructionProblem> problem_of(const Instruction& instruction, const Table<Buffer>& buffers,
                                             const DeviceDescription& device);

}  // namespace cutset
