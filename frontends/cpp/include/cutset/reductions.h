// Reductions that append several ops. sum() and mean() are in <cutset/layers.h>, and reduce_sum and reduce_max in
// <cutset/ops.h>.
//
// x has a floating-point type. Each function reduces x over the given axes, or over all axes if none are given. A negative
// axis counts from the end. With `keepdims`, the axes stay with size 1; otherwise they are removed. All functions throw a
// cutset::Error with the line of the call if x or an axis does not fit, and then add nothing to the graph.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset {

// The sum of the squares.
Tensor sum_square(const Tensor& x, const std::vector<int64_t>& axes = {}, bool keepdims = false,
                  std::source_location where = std::source_location::current());
// The sum of the absolute values.
Tensor l1_norm(const Tensor& x, const std::vector<int64_t>& axes = {}, bool keepdims = false,
               std::source_location where = std::source_location::current());
// The square root of the sum of the squares. Its gradient is 0 where the sum is 0.
Tensor l2_norm(const Tensor& x, const std::vector<int64_t>& axes = {}, bool keepdims = false,
               std::source_location where = std::source_location::current());
// The logarithm of the sum.
Tensor log_sum(const Tensor& x, const std::vector<int64_t>& axes = {}, bool keepdims = false,
               std::source_location where = std::source_location::current());
// The logarithm of the sum of the exponentials. The largest element is subtracted first, so that no
// exponential overflows. It is -infinity if there are no elements. The gradient of elements that are all
// -infinity is NaN.
Tensor log_sum_exp(const Tensor& x, const std::vector<int64_t>& axes = {}, bool keepdims = false,
                   std::source_location where = std::source_location::current());
// The mean of the squared differences from the mean, that is, the variance with n degrees of freedom.
Tensor variance(const Tensor& x, const std::vector<int64_t>& axes = {}, bool keepdims = false,
                std::source_location where = std::source_location::current());

}  // namespace cutset
