// SPDX-License-Identifier: Apache-2.0
// The lines along which cumsum and cumprod run, for the kernels.
#pragma once
#include "ir/core/rows.h"

namespace cutset {

// A tensor as lines of `length` elements. Element k of line i, in the order in which elements are joined, is
// at first(i) + k * step().
struct CumulativeLines {
  int64_t count = 0, length = 0, inner = 1;
  bool reverse = false;

  // `axis` is a dimension of the shape. A negative axis counts from the end.
  CumulativeLines(std::span<const int64_t> shape, int64_t axis, bool reversed) : reverse(reversed) {
    const int64_t at = axis_from_front(axis, shape.size());
    const Blocks b = blocks_of(shape, at);
    length = shape[static_cast<size_t>(at)];
    inner = b.inner;
    count = length ? b.count * b.inner : 0;
  }
  int64_t first(int64_t i) const {
    return i / inner * length * inner + i % inner + (reverse ? (length - 1) * inner : 0);
  }
  int64_t step() const { return reverse ? -inner : inner; }
};

}  // namespace cutset
