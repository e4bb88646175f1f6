// SPDX-License-Identifier: Apache-2.0
#include "ir/core/rows.h"
#include "ir/structural/concat/concat_rules.h"

namespace cutset::rules::concat {
Status reference(const ConcatAttrs& a, Views in, Views out) {
  const int axis = static_cast<int>(axis_from_front(a.axis, out[0].shape.size()));
  const Blocks blocks = blocks_of(out[0].shape, axis);
  int64_t at = 0;
  for (const TensorView& part : in) {
    copy_rows(blocks, size_of(part.dtype), part.data, part.dim(axis), 0, out[0].data, out[0].dim(axis), at,
              part.dim(axis));
    at += part.dim(axis);
  }
  return {};
}
}  // namespace cutset::rules::concat
