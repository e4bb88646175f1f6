// Which rows a slice takes.
#pragma once
#include <span>

#include "ir/core/types.h"

namespace cutset {

struct SliceShape {
  int64_t axis, start, length, all;  // `axis` from the front; `all`: rows of x
};
// Checks C1 and C2.
Result<SliceShape> slice_shape(std::span<const int64_t> x, int64_t axis, int64_t start, int64_t length);

}  // namespace cutset
