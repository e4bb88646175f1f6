// How rows along one axis lie in a row-major tensor: as `count` blocks of `bytes`, each `stride` apart.
#pragma once
#include <cstring>
#include <span>

#include "ir/core/types.h"

namespace cutset {

// An axis counted from the front: negative ones are from the end. Negative where it is not a dimension.
inline int64_t axis_from_front(int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  const int64_t at = axis < 0 ? axis + n : axis;
  return at < n ? at : -1;
}

struct Blocks {
  int64_t count = 1;  // product of the sizes before the axis
  int64_t inner = 1;  // elements of one row: product of the sizes behind it
};

inline Blocks blocks_of(std::span<const int64_t> shape, int64_t axis) {
  Blocks b;
  for (size_t d = 0; d < shape.size(); ++d)
    (static_cast<int64_t>(d) < axis ? b.count : b.inner) *= static_cast<int64_t>(d) == axis ? 1 : shape[d];
  return b;
}

// Copies `rows` rows from row `from_start` of a tensor of `from_rows` to row `to_start` of one of `to_rows`.
inline void copy_rows(const Blocks& b, int64_t element, const void* from, int64_t from_rows, int64_t from_start,
                      void* to, int64_t to_rows, int64_t to_start, int64_t rows) {
  const int64_t row = b.inner * element;
  if (rows * row == 0) return;
  for (int64_t k = 0; k < b.count; ++k)
    std::memcpy(static_cast<char*>(to) + (k * to_rows + to_start) * row,
                static_cast<const char*>(from) + (k * from_rows + from_start) * row, static_cast<size_t>(rows * row));
}

}  // namespace cutset
