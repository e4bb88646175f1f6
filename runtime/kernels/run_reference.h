// SPDX-License-Identifier: Apache-2.0
// Runs the reference kernel of one op on host memory.
#pragma once
#include <vector>

#include "ir/core/op/op_info.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

// Returns the types of the tensors.
Types types_of(const std::vector<HostTensor>& tensors);
// Runs the reference kernel of `op` once and returns the results. If `wide`, f32 operands are converted to
// f64 first, so that the op is computed in f64. Fails if the operands do not fit the op.
Result<std::vector<HostTensor>> run_reference_kernel(const OpInfo& op, const Attributes& attributes,
                                                     const std::vector<HostTensor>& operands,
                                                     bool wide = false);

}  // namespace cutset
