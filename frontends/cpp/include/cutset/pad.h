// SPDX-License-Identifier: Apache-2.0
// Padding: rows around a tensor.
#pragma once
#include <cutset/ops.h>

#include <cstdint>
#include <source_location>
#include <type_traits>
#include <vector>

namespace cutset {

// The arguments of pad by name.
struct PadOptions {
  std::vector<int64_t> pads = {};
  PadMode mode = PadMode::kConstant;
  double value = 0;
};
// Adds rows around x. `pads` has two numbers per axis, from the last axis on, as torch.nn.functional.pad: {1,
// 2} adds 1 column before and 2 columns after the columns of x, and {1, 2, 3, 4} also adds 3 rows before and
// 4 rows after. A negative number removes rows. The new rows are `value`, a number or a scalar of the element
// type of x; copies of the first and last row (kEdge); or x mirrored at them (kReflect). For an x of i1,
// `value` is 0 or a tensor of i1. By name, it is a number.
Tensor pad(const Tensor& x, const std::vector<int64_t>& pads, PadMode mode = PadMode::kConstant,
           const TensorOrNumber& value = 0, std::source_location source = std::source_location::current());
template <class Options = PadOptions>
Tensor pad(const Tensor& x, const std::type_identity_t<Options>& options,
           std::source_location source = std::source_location::current()) {
  return pad(x, options.pads, options.mode, options.value, source);
}

}  // namespace cutset
