// SPDX-License-Identifier: Apache-2.0
// Converts a tensor to another element type.
#pragma once
#include "backends/portable/launches.h"

namespace cutset::portable {

// Appends a launch that converts the n elements of x to the type `to`, as the op cast does. Both types have a
// stored_type.
void add_cast(Launches& list, DType from, DType to, int64_t n, Argument x, Argument y);

}  // namespace cutset::portable
