// SPDX-License-Identifier: Apache-2.0
// The operands of an op that belong to one name of its .td.
#pragma once
#include <cstddef>

namespace cutset {

// The `size` operands from `first` on. `size` is 1 for a required operand, 0 or 1 for an optional operand,
// and at least 1 for a variadic operand.
struct OperandRange {
  size_t first = 0, size = 0;
  explicit operator bool() const { return size > 0; }  // whether there is an operand
};

}  // namespace cutset
