// SPDX-License-Identifier: Apache-2.0
// Finds the row of the operand from which each row of a padded tensor is copied.
#pragma once
#include <algorithm>

#include "ir/ops/pad/pad_attrs.h"

namespace cutset {

// The attributes that pad and pad_backward have in common.
struct Padding {
  int64_t axis, before, after;
  int32_t mode;  // CUTSET_PAD_MODE_CONSTANT, ...
};
inline Padding padding_of(const PadAttrs& a) { return {a.axis, a.before, a.after, a.mode}; }
inline Padding padding_of(const PadBackwardAttrs& a) { return {a.axis, a.before, a.after, a.mode}; }

// Calls f(row, from) for each row that pad adds to the `rows` rows of x, in ascending order. `row` is a copy
// of row `from` of x. Rows of zeros are left out. The attributes must satisfy the constraints of pad.
template <class F>
void for_each_copy(const Padding& p, int64_t rows, F&& f) {
  if (p.mode == CUTSET_PAD_MODE_CONSTANT) return;
  const bool mirror = p.mode == CUTSET_PAD_MODE_REFLECT;
  for (int64_t i = 0; i < p.before; ++i) f(i, mirror ? p.before - i : 0);
  for (int64_t i = 0; i < p.after; ++i) f(p.before + rows + i, mirror ? rows - 2 - i : rows - 1);
}

}  // namespace cutset
