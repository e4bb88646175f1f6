// SPDX-License-Identifier: Apache-2.0
// Rows along one axis of a row-major tensor. Row r along `axis` consists of the elements whose index along
// `axis` is r. The rows are interleaved: the tensor consists of `count` blocks, and each block holds `inner`
// elements of every row, in the order of the rows.
#pragma once
#include <cstring>
#include <span>

#include "ir/core/types.h"

namespace cutset {

// Returns the axis counted from the front. A negative `axis` counts from the end. Returns a negative number
// if `axis` is not a dimension of a tensor of this rank.
inline int64_t axis_from_front(int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  const int64_t at = axis < 0 ? axis + n : axis;
  return at < n ? at : -1;
}

struct Blocks {
  int64_t count = 1;  // product of the sizes before the axis
  int64_t inner = 1;  // product of the sizes after the axis: the elements of a row in one block
};

// Returns the blocks along `axis`, which counts from the front.
inline Blocks blocks_of(std::span<const int64_t> shape, int64_t axis) {
  Blocks b;
  for (size_t d = 0; d < shape.size(); ++d)
    (static_cast<int64_t>(d) < axis ? b.count : b.inner) *= static_cast<int64_t>(d) == axis ? 1 : shape[d];
  return b;
}

// Copies `rows` rows, starting at row `from_start` of a tensor with `from_rows` rows, to a tensor with
// `to_rows` rows, starting at row `to_start`. Both tensors have the blocks `b` and elements of `element`
// bytes. No range is checked.
inline void copy_rows(const Blocks& b, int64_t element, const void* from, int64_t from_rows,
                      int64_t from_start, void* to, int64_t to_rows, int64_t to_start, int64_t rows) {
  const int64_t row = b.inner * element;
  if (rows * row == 0) return;
  for (int64_t k = 0; k < b.count; ++k)
    std::memcpy(static_cast<char*>(to) + (k * to_rows + to_start) * row,
                static_cast<const char*>(from) + (k * from_rows + from_start) * row,
                static_cast<size_t>(rows * row));
}

}  // namespace cutset
