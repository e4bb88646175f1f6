// SPDX-License-Identifier: Apache-2.0
// The index space of gather_elements and scatter_elements.
#pragma once
#include <span>

#include "ir/core/result.h"
#include "ir/core/tensor_view.h"

namespace cutset {

// Data and the indices as lines along the axis. Line i of the indices reads or writes elements of one line of
// data. No other line of the indices reads or writes this line.
struct ElementLines {
  int rank = 0;                  // the number of dimensions of the lines: all dimensions except the axis
  int64_t shape[kMaxRank] = {};  // the sizes of the indices along these dimensions
  Strides in_data, in_indices;   // the strides along these dimensions
  int64_t length = 1,
          data_step = 1;  // the number of elements of a line of data, and the distance of neighbours
  int64_t count = 1, index_step = 1;  // the same for a line of the indices

  std::span<const int64_t> lines() const { return {shape, static_cast<size_t>(rank)}; }
  // Returns the offset in a line of data of the element for an index, or -1 if the index is out of range. A
  // negative index counts from the end.
  int64_t offset(int64_t index) const {
    const int64_t row = index < 0 ? index + length : index;
    return row < 0 || row >= length ? -1 : row * data_step;
  }
};

// Fails if the indices are not i32 or i64 (C1), if `axis` is not a dimension of data (C2), or if the indices
// do not fit data (C3). A negative axis counts from the end.
Result<ElementLines> element_lines(const TensorType& data, const TensorType& indices, int64_t axis);
// Returns the lines for shapes that satisfy the constraints. Allocates no memory.
ElementLines lines_of_elements(std::span<const int64_t> data, std::span<const int64_t> indices, int64_t axis);

}  // namespace cutset
