// SPDX-License-Identifier: Apache-2.0
// Reductions of ONNX. They take axes as the reductions of <cutset/reductions.h> do. All functions throw a
// cutset::Error with the line of the call if an operand or argument does not fit, and then add nothing to the
// graph.
#pragma once
#include <cutset/reductions.h>

#include <source_location>
#include <type_traits>

namespace cutset::onnx_ops {

// Returns the sum of the squares. x has a floating-point type.
Tensor sum_square(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
                  std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor sum_square(const Tensor& x, const std::type_identity_t<Options>& options,
                  std::source_location source = std::source_location::current()) {
  return sum_square(x, options.axes, options.keepdims, source);
}

// Returns the logarithm of the sum of a floating-point x.
Tensor log_sum(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
               std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor log_sum(const Tensor& x, const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return log_sum(x, options.axes, options.keepdims, source);
}

}  // namespace cutset::onnx_ops
