// SPDX-License-Identifier: Apache-2.0
// Converts tensors for programs that compute in f64.
#pragma once
#include "runtime/files/host_tensor.h"

namespace cutset {

// Returns an f32 tensor converted to f64, and a copy of a tensor of any other type.
HostTensor widened_to_f64(const HostTensor& t);

}  // namespace cutset
