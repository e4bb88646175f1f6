// SPDX-License-Identifier: Apache-2.0
// The ops and cases of the tests that compare gradients with differences in f64.
#pragma once
#include "tests/conformance/on_device.h"

namespace cutset::testing {

// Returns all ops that have a gradient.
std::vector<const OpInfo*> differentiable_ops();
// Returns the tensor in f64 if it is in f32, f16 or bf16, and otherwise the tensor itself.
HostTensor widened(const HostTensor& t);
// Replaces the element type f32 in attributes by f64.
void widen(Attributes& attributes);

}  // namespace cutset::testing
