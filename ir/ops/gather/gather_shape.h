// SPDX-License-Identifier: Apache-2.0
// The index space of gather and gather_backward.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

// Data is a tensor [outer, length, inner], and the result of gather is [outer, indices, inner]. The rows of
// data are rows of a table, from row `first` on. The table has `rows` rows, and the indices are indices of
// the table.
struct GatherShape {
  int axis = 0;
  int64_t outer = 1, length = 1, inner = 1, indices = 1;
  int64_t first = 0, rows = 1;
};

// Fails if `axis` is not a dimension of data, or if the rows of data are not in the table. A negative axis
// counts from the end. `table_rows` is 0 if data is the whole table.
Result<GatherShape> gather_shape(std::span<const int64_t> data, std::span<const int64_t> indices,
                                 int64_t axis, int64_t first_row, int64_t table_rows);

// Returns the result for an index that is out of range: NaN, the lowest value of a signed integer type, the
// largest value of an unsigned integer type, or false. If an integer result is used as an index, it is also
// out of range.
template <class T>
constexpr T out_of_range() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) return Limits::quiet_NaN();
  return std::is_signed_v<T> || std::is_same_v<T, bool> ? Limits::lowest() : Limits::max();
}

inline constexpr int64_t kOutOfRange = -1;   // the table has no such row
inline constexpr int64_t kInOtherRows = -2;  // the table has the row, but data does not
// Returns the row of data for an index, kOutOfRange or kInOtherRows. A negative index counts from the end of
// the table. Only the data with the first rows of the table returns kOutOfRange. Other data returns
// kInOtherRows instead, so that the results of all shards add up.
inline int64_t gathered_row(int64_t index, const GatherShape& s) {
  const int64_t row = index < 0 ? index + s.rows : index;
  if (row < 0 || row >= s.rows) return s.first == 0 ? kOutOfRange : kInOtherRows;
  return row >= s.first && row < s.first + s.length ? row - s.first : kInOtherRows;
}

}  // namespace cutset
