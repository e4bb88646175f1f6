// SPDX-License-Identifier: Apache-2.0
// The operands of an op that belong to one name of its .td.
#pragma once
#include <cstddef>

namespace cutset {

// The `size` operands from `first` on: one of a required operand, one or none of an optional one, and one or
// more of a variadic one.
struct OperandRange {
  size_t first = 0, size = 0;
  explicit operator bool() const { return size > 0; }  // whether there is an operand
};

}  // namespace cutset
