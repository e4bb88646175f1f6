// SPDX-License-Identifier: Apache-2.0
// The pieces into which an operand is divided over the devices of a tensor axis, or a variable over the
// replicas.
#pragma once
#include <cstdint>

namespace cutset {

// The part of a value that one of `count` devices has. The boundaries of pieces are multiples of `unit`
// elements. For example, `unit` is the size of an attention head, so that a reshape into heads divides no
// head.
struct Piece {
  int32_t layout =
      -1;  // the dimension that is divided; -1: the value is whole; -2: it is a partial sum (kPartial)
  int32_t factor = -1;  // for a partial sum: the factor of the op's sharding rule that is divided; -1: the op
                        // adds partial sums
  int32_t index = 0, count = 1;
  int64_t unit = 1;
  bool operator==(const Piece&) const = default;
};

// A range of elements along a dimension.
struct PieceRange {
  int64_t start = 0, size = 0;
};

// Returns the elements of piece `index` of `count` along a dimension of `size` elements. The pieces differ by
// at most one unit, and the larger pieces come first. `unit` must divide `size`, and 0 <= index < count.
constexpr PieceRange range_of(int64_t size, int64_t unit, int64_t count, int64_t index) {
  const int64_t units = size / unit, each = units / count, more = units % count;
  const int64_t first = index * each + (index < more ? index : more);
  return {first * unit, (each + (index < more ? 1 : 0)) * unit};
}

}  // namespace cutset
