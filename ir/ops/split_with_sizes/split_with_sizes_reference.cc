// SPDX-License-Identifier: Apache-2.0
#include "ir/core/rows.h"
#include "ir/ops/split_with_sizes/split_with_sizes_rules.h"

namespace cutset::rules::split_with_sizes {

Status reference(const Attrs& a, Views in, Views out) {
  const int axis = static_cast<int>(axis_from_front(a.axis, in[0].shape.size()));
  int64_t at = 0;
  for (const TensorView& slice : out) {
    const int64_t rows = slice.dim(axis);
    copy_rows(blocks_of(in[0].shape, axis), size_of(in[0].dtype), in[0].data, in[0].dim(axis), at, slice.data,
              rows, 0, rows);
    at += rows;
  }
  return {};
}

}  // namespace cutset::rules::split_with_sizes
