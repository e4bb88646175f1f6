// Adds arrays elementwise, for sums over devices.
#pragma once
#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

// Adds the `n` elements at `from` to those at `to`. Integers wrap around, and bools are combined by "or". Fails, and
// changes nothing, if check_summed_type() of ir/core/check_types.h refuses the type.
Status add_elements(DType dtype, void* to, const void* from, int64_t n);

}  // namespace cutset
