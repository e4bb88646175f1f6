// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/gather_elements/element_lines.h"

#include "ir/core/rows.h"

namespace cutset {

ElementLines lines_of_elements(std::span<const int64_t> data, std::span<const int64_t> indices,
                               int64_t axis) {
  const auto at = static_cast<int>(axis_from_front(axis, data.size()));
  const Strides in_data = broadcast_strides(data, data), in_indices = broadcast_strides(indices, indices);
  ElementLines lines;
  for (int d = 0; d < static_cast<int>(data.size()); ++d) {
    if (d == at) continue;
    lines.shape[lines.rank] = indices[static_cast<size_t>(d)];
    lines.in_data.at[lines.rank] = in_data.at[d];
    lines.in_indices.at[lines.rank++] = in_indices.at[d];
  }
  lines.length = data[static_cast<size_t>(at)];
  lines.data_step = in_data.at[at];
  lines.count = indices[static_cast<size_t>(at)];
  lines.index_step = in_indices.at[at];
  return lines;
}

Result<ElementLines> element_lines(const TensorType& data, const TensorType& indices, int64_t axis) {
  if (indices.dtype != DType::i32 && indices.dtype != DType::i64)
    return invalid_argument(std::string("C1: the indices have type ") + name_of(indices.dtype) +
                            "; they must have type i32 or i64");
  const int64_t at = axis_from_front(axis, data.shape.size());
  if (at < 0)
    return invalid_argument("C2: axis " + std::to_string(axis) + " is not a dimension of " + to_string(data));
  bool fits = indices.rank() == data.rank();
  for (int d = 0; fits && d < data.rank(); ++d)
    fits = d == at || indices.shape[static_cast<size_t>(d)] <= data.shape[static_cast<size_t>(d)];
  if (!fits)
    return invalid_argument("C3: the indices are " + to_string(indices) +
                            ", which has another rank than data, " + to_string(data) +
                            ", or is larger along a dimension other than axis " + std::to_string(axis));
  return lines_of_elements(data.shape, indices.shape, axis);
}

}  // namespace cutset
