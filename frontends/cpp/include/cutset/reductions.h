// SPDX-License-Identifier: Apache-2.0
// Reductions: functions that join elements along axes.
//
// Each function reduces x over one axis or a list of axes, or over all axes if none are given: sum(x, 1),
// sum(x, {0, 1}), sum(x). A negative axis counts from the end. With `keepdims`, the axes stay with size 1;
// otherwise they are removed. The arguments are also given by name: sum(x, {.axes = 1, .keepdims = true}).
// All functions throw a cutset::Error with the line of the call if x or an axis does not fit, and then add
// nothing to the graph.
#pragma once
#include <cutset/arguments.h>
#include <cutset/tensor.h>

#include <source_location>
#include <type_traits>

namespace cutset {

// The arguments of a reduction by name.
struct ReductionOptions {
  AxisList axes = {};     // the axes; empty: all
  bool keepdims = false;  // whether the axes stay with size 1
};

// Returns the sum. The result has the element type of x. A sum of integers wraps around.
Tensor sum(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
           std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor sum(const Tensor& x, const std::type_identity_t<Options>& options,
           std::source_location source = std::source_location::current()) {
  return sum(x, options.axes, options.keepdims, source);
}

// Returns the mean of a floating-point x. The number of elements is counted when the program runs, so the
// mean over the batch is right for every batch size and for a batch that is split. The mean of f16 and bf16
// is computed in f32 and rounded at the end.
Tensor mean(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
            std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor mean(const Tensor& x, const std::type_identity_t<Options>& options,
            std::source_location source = std::source_location::current()) {
  return mean(x, options.axes, options.keepdims, source);
}

// Returns the largest element of a numeric x; NaN if one element is NaN. Elements that are equally large
// share the gradient.
Tensor max(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
           std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor max(const Tensor& x, const std::type_identity_t<Options>& options,
           std::source_location source = std::source_location::current()) {
  return max(x, options.axes, options.keepdims, source);
}

// Returns the smallest element of a numeric x; NaN if one element is NaN. Elements that are equally small
// share the gradient.
Tensor min(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
           std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor min(const Tensor& x, const std::type_identity_t<Options>& options,
           std::source_location source = std::source_location::current()) {
  return min(x, options.axes, options.keepdims, source);
}

// Returns the product. A product of integers wraps around.
Tensor prod(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
            std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor prod(const Tensor& x, const std::type_identity_t<Options>& options,
            std::source_location source = std::source_location::current()) {
  return prod(x, options.axes, options.keepdims, source);
}

// Returns the sum of the absolute values. Here and below, x has a floating-point type.
Tensor l1_norm(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
               std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor l1_norm(const Tensor& x, const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return l1_norm(x, options.axes, options.keepdims, source);
}

// Returns the square root of the sum of the squares. Its gradient is 0 where the sum is 0.
Tensor l2_norm(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
               std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor l2_norm(const Tensor& x, const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return l2_norm(x, options.axes, options.keepdims, source);
}

// Returns the logarithm of the sum of the exponentials. The largest element is subtracted first, so that no
// exponential overflows. The result is -infinity if there are no elements. The gradient of elements that are
// all -infinity is NaN.
Tensor log_sum_exp(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
                   std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor log_sum_exp(const Tensor& x, const std::type_identity_t<Options>& options,
                   std::source_location source = std::source_location::current()) {
  return log_sum_exp(x, options.axes, options.keepdims, source);
}

// Returns the mean of the squared differences from the mean: the variance with n degrees of freedom, which is
// torch.var(x, correction=0).
Tensor variance(const Tensor& x, const AxisList& axes = {}, bool keepdims = false,
                std::source_location source = std::source_location::current());
template <class Options = ReductionOptions>
Tensor variance(const Tensor& x, const std::type_identity_t<Options>& options,
                std::source_location source = std::source_location::current()) {
  return variance(x, options.axes, options.keepdims, source);
}

}  // namespace cutset
