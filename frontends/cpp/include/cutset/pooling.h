// SPDX-License-Identifier: Apache-2.0
// Poolings of images of one to three dimensions: [n, c, w], [n, c, h, w] or [n, c, d, h, w]. The arguments
// are the same as in PyTorch, by position or by name. The size of the window may also be given by position
// and the other arguments by name:
//
//   max_pool(x, 3, 2);  max_pool(x, 3, {.stride = 2});  max_pool(x, {.kernel_size = {2, 3}, .stride = 1});
//
// All functions infer shapes at once and throw a cutset::Error with the line of the call, `source`, if an
// operand or argument does not fit; a call that throws adds nothing to the graph.
#pragma once
#include <cutset/arguments.h>
#include <cutset/tensor.h>

#include <cstdint>
#include <source_location>
#include <type_traits>

namespace cutset {

// The arguments of all poolings but avg_pool by name.
struct PoolOptions {
  AxisSizes kernel_size = {};  // the size of the window; default: 2
  AxisSizes stride = {};       // the distance between windows; default: kernel_size
  // The elements before and after the image along each axis. With two numbers per axis, the first half is the
  // elements before each axis, and the second half is the elements after each axis. They are fewer than the
  // elements from the first to the last element of a window.
  AxisSizes padding = 0;
  AxisSizes dilation = 1;  // the distance between the elements of a window
  // Whether a last window that leaves the padded image counts. It must begin in the image or in the padding
  // before it.
  bool ceil_mode = false;
};
// Returns `kernel_size`. Throws a cutset::Error if the options also have one.
const AxisSizes& only_kernel(const AxisSizes& kernel_size, const AxisSizes& of_options,
                             std::source_location source);

// Returns the maximum of each window of the images x. The result is [n, c, ...] with the sizes floor((size +
// padding
// - dilation (kernel_size - 1) - 1) / stride) + 1, where `padding` is the sum of both sides. With ceil_mode,
//   the quotient is rounded up. NaN counts as the maximum, and padding as -infinity. x has any type except
//   i1; the gradient needs a floating-point type.
Tensor max_pool(const Tensor& x, const AxisSizes& kernel_size = 2, const AxisSizes& stride = {},
                const AxisSizes& padding = 0, const AxisSizes& dilation = 1, bool ceil_mode = false,
                std::source_location source = std::source_location::current());
template <class Options = PoolOptions>
Tensor max_pool(const Tensor& x, const std::type_identity_t<Options>& options,
                std::source_location source = std::source_location::current()) {
  return max_pool(x, options.kernel_size, options.stride, options.padding, options.dilation,
                  options.ceil_mode, source);
}
// Takes the size of the window before the arguments by name.
template <class Options = PoolOptions>
Tensor max_pool(const Tensor& x, const AxisSizes& kernel_size, const std::type_identity_t<Options>& options,
                std::source_location source = std::source_location::current()) {
  return max_pool(x, only_kernel(kernel_size, options.kernel_size, source), options.stride, options.padding,
                  options.dilation, options.ceil_mode, source);
}

// Returns the index of the first maximum of each window as i64. The indices count the elements of a channel
// of an image in row-major order. The result has the shape of the result of max_pool. The index of a window
// whose elements are all in the padding is -1.
Tensor max_pool_indices(const Tensor& x, const AxisSizes& kernel_size = 2, const AxisSizes& stride = {},
                        const AxisSizes& padding = 0, const AxisSizes& dilation = 1, bool ceil_mode = false,
                        std::source_location source = std::source_location::current());
template <class Options = PoolOptions>
Tensor max_pool_indices(const Tensor& x, const std::type_identity_t<Options>& options,
                        std::source_location source = std::source_location::current()) {
  return max_pool_indices(x, options.kernel_size, options.stride, options.padding, options.dilation,
                          options.ceil_mode, source);
}
// Takes the size of the window before the arguments by name.
template <class Options = PoolOptions>
Tensor max_pool_indices(const Tensor& x, const AxisSizes& kernel_size,
                        const std::type_identity_t<Options>& options,
                        std::source_location source = std::source_location::current()) {
  return max_pool_indices(x, only_kernel(kernel_size, options.kernel_size, source), options.stride,
                          options.padding, options.dilation, options.ceil_mode, source);
}

// The arguments of avg_pool by name. PoolOptions describes the members that all poolings have.
struct AvgPoolOptions {
  AxisSizes kernel_size = {};
  AxisSizes stride = {};
  AxisSizes padding = 0;
  AxisSizes dilation = 1;
  bool ceil_mode = false;
  bool count_include_pad = true;  // whether the elements of a window in the padding count in the divisor
  int64_t divisor_override = 0;   // the divisor, if it is positive
};
// Returns the mean of each window of the images x, in which padding counts as 0. The result has the shape of
// the result of max_pool. x has a floating-point type.
Tensor avg_pool(const Tensor& x, const AxisSizes& kernel_size = 2, const AxisSizes& stride = {},
                const AxisSizes& padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                int64_t divisor_override = 0, const AxisSizes& dilation = 1,
                std::source_location source = std::source_location::current());
template <class Options = AvgPoolOptions>
Tensor avg_pool(const Tensor& x, const std::type_identity_t<Options>& options,
                std::source_location source = std::source_location::current()) {
  return avg_pool(x, options.kernel_size, options.stride, options.padding, options.ceil_mode,
                  options.count_include_pad, options.divisor_override, options.dilation, source);
}
// Takes the size of the window before the arguments by name.
template <class Options = AvgPoolOptions>
Tensor avg_pool(const Tensor& x, const AxisSizes& kernel_size, const std::type_identity_t<Options>& options,
                std::source_location source = std::source_location::current()) {
  return avg_pool(x, only_kernel(kernel_size, options.kernel_size, source), options.stride, options.padding,
                  options.ceil_mode, options.count_include_pad, options.divisor_override, options.dilation,
                  source);
}

// Returns (sum of |element|^p)^(1/p) of each window of the images x, for p > 0. The result has the shape of
// the result of max_pool. The gradient of a window of zeros is 0.
Tensor lp_pool(const Tensor& x, double p, const AxisSizes& kernel_size = 2, const AxisSizes& stride = {},
               bool ceil_mode = false, const AxisSizes& padding = 0, const AxisSizes& dilation = 1,
               std::source_location source = std::source_location::current());
template <class Options = PoolOptions>
Tensor lp_pool(const Tensor& x, double p, const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return lp_pool(x, p, options.kernel_size, options.stride, options.ceil_mode, options.padding,
                 options.dilation, source);
}
// Takes the size of the window before the arguments by name.
template <class Options = PoolOptions>
Tensor lp_pool(const Tensor& x, double p, const AxisSizes& kernel_size,
               const std::type_identity_t<Options>& options,
               std::source_location source = std::source_location::current()) {
  return lp_pool(x, p, only_kernel(kernel_size, options.kernel_size, source), options.stride,
                 options.ceil_mode, options.padding, options.dilation, source);
}

// Pool all elements of each channel of an image. The result is [n, c, 1, ...] with the rank of x.
Tensor global_max_pool(const Tensor& x, std::source_location source = std::source_location::current());
Tensor global_avg_pool(const Tensor& x, std::source_location source = std::source_location::current());

}  // namespace cutset
