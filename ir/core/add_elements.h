// SPDX-License-Identifier: Apache-2.0
// Adds arrays elementwise, for sums over devices.
#pragma once
#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

// Adds the `n` elements at `from` to the elements at `to`. Integers wrap around, bools are combined by "or",
// and the sums of f16 and bf16 are computed in f32 and rounded. Fails, and changes nothing, if the type does
// not exist.
Status add_elements(DType dtype, void* to, const void* from, int64_t n);

}  // namespace cutset
