// The index space of gather and gather_backward.
#pragma once
#include <cstdint>
#include <span>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

// Data is a tensor [outer, length, inner], and the result of gather is [outer, indices, inner].
struct GatherShape {
  int axis = 0;
  int64_t outer = 1, length = 1, inner = 1, indices = 1;
};

// Fails if `axis` is not a dimension of data. A negative axis counts from the end.
Result<GatherShape> gather_shape(std::span<const int64_t> data, std::span<const int64_t> indices, int64_t axis);

// The row of data that an index names, or -1 if there is none. A negative index counts from the end.
inline int64_t gathered_row(int64_t index, int64_t length) {
  const int64_t row = index < 0 ? index + length : index;
  return row >= 0 && row < length ? row : -1;
}

}  // namespace cutset
