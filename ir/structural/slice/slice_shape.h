// SPDX-License-Identifier: Apache-2.0
// The rows that a slice takes.
#pragma once
#include <span>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

struct SliceShape {
  int64_t axis;           // counted from the front
  int64_t start, length;  // the first row, and the number of rows, which is not negative
  int64_t all;            // the number of rows of x
};
// Fails if the attributes violate constraint C1 or C2 of slice for an x of this shape.
Result<SliceShape> slice_shape(std::span<const int64_t> x, int64_t axis, int64_t start, int64_t length);

}  // namespace cutset
