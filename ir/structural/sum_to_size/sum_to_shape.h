// SPDX-License-Identifier: Apache-2.0
// The reduction that `sum_to_size` computes, for its reference kernel and the backends.
#pragma once
#include <span>

#include "ir/ops/reduction/reduction_shape.h"

namespace cutset {
// Reduces the dimensions of x along which `like` broadcasts to x. `like` must broadcast to the shape of x.
ReductionShape sum_to_shape(std::span<const int64_t> x, std::span<const int64_t> like);
}  // namespace cutset
