// SPDX-License-Identifier: Apache-2.0
// The attribute with which `place` says which devices have no op.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace cutset::passes {

// The attribute of a module that lists the devices to which the strategy `model` could have given ops, and
// gave none: a dictionary from their names to arrays of two f64. The numbers are the estimated seconds of the
// busiest device per step: as placed, and if the device had an op. The second number is infinite if the
// device cannot have one.
inline constexpr llvm::StringLiteral kEmptyDevices = "cutset.empty_devices";

}  // namespace cutset::passes
