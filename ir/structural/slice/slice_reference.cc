// SPDX-License-Identifier: Apache-2.0
#include "ir/core/rows.h"
#include "ir/structural/slice/slice_rules.h"
#include "ir/structural/slice/slice_shape.h"

namespace cutset::rules::slice {
Status reference(const SliceAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const SliceShape s, slice_shape(in[0].shape, a.axis, a.start, a.length));
  copy_rows(blocks_of(in[0].shape, s.axis), size_of(in[0].dtype), in[0].data, s.all, s.start, out[0].data,
            s.length, 0, s.length);
  return {};
}
}  // namespace cutset::rules::slice
