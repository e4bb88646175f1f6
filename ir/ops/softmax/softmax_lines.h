// SPDX-License-Identifier: Apache-2.0
// The lines along which softmax normalizes.
#pragma once
#include <cstdint>
#include <span>

#include "ir/core/result.h"

namespace cutset {

// A tensor as `outer * inner` lines of `length` elements. Two neighbouring elements of a line are `inner`
// elements apart.
struct SoftmaxLines {
  int64_t outer = 1, length = 1, inner = 1;
  int64_t count() const { return outer * inner; }
  // Returns the index of the first element of line `i`.
  int64_t first(int64_t i) const { return i / inner * length * inner + i % inner; }
};

// Returns the lines along `axis` of a tensor with this shape. A negative axis counts from the end. Fails if
// `axis` is not a dimension.
Result<SoftmaxLines> softmax_lines(std::span<const int64_t> shape, int64_t axis);

}  // namespace cutset
