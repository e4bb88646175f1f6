// Poolings of images of one to three dimensions: [n, c, w], [n, c, h, w] or [n, c, d, h, w]. The options are those of PyTorch and
// ONNX. All functions infer shapes at once and throw a cutset::Error with the line of the call, `where`, if an operand or
// option does not fit; a call that throws adds nothing to the graph.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <utility>
#include <vector>

namespace cutset {

// A size for each axis of an image, outermost first, or one number for all axes: 3, or {3, 5}.
class AxisSizes {
 public:
  AxisSizes(int64_t all) : sizes_{all} {}
  AxisSizes(std::initializer_list<int64_t> each) : sizes_(each) {}
  AxisSizes(std::vector<int64_t> each) : sizes_(std::move(each)) {}
  // The sizes of an image with `axes` axes.
  std::vector<int64_t> list(size_t axes) const {
    return sizes_.size() == 1 ? std::vector<int64_t>(axes, sizes_[0]) : sizes_;
  }

 private:
  std::vector<int64_t> sizes_;
};

// The options of all poolings.
struct PoolOptions {
  AxisSizes kernel_size = 2;  // the size of the window
  AxisSizes stride = {};      // the distance between windows; default: kernel_size
  // The elements in front of and behind the image, or, with two numbers per axis, those in front of each axis and then those
  // behind each axis. They are fewer than the elements from the first to the last element of a window.
  AxisSizes padding = 0;
  AxisSizes dilation = 1;  // the distance between the elements of a window
  // Whether a last window that leaves the padded image counts. It must begin in the image or in the padding in front of it.
  bool ceil_mode = false;
};

// Returns the maximum of each window of the images x: max_pool(x, {.kernel_size = {2, 3}, .stride = 1}). The result is
// [n, c, ...] with the sizes floor((size + padding - dilation (kernel_size - 1) - 1) / stride) + 1, where the padding is
// that of both sides; with ceil_mode, the quotient is rounded up. NaN counts as the maximum, and padding as -infinity. x
// has any type but i1; the gradient needs a floating-point type.
Tensor max_pool(const Tensor& x, const PoolOptions& options = {},
                std::source_location where = std::source_location::current());
// Returns the index of the first maximum of each window as i64. The indices count the elements of a channel of an image in
// row-major order. The shape is that of max_pool. The index of a window whose elements are all in the padding is -1.
Tensor max_pool_indices(const Tensor& x, const PoolOptions& options = {},
                        std::source_location where = std::source_location::current());

// The options of avg_pool. The first five are those of all poolings.
struct AvgPoolOptions {
  AxisSizes kernel_size = 2;
  AxisSizes stride = {};
  AxisSizes padding = 0;
  AxisSizes dilation = 1;
  bool ceil_mode = false;
  bool count_include_pad = true;  // whether the elements of a window in the padding count in the divisor
  int64_t divisor_override = 0;   // the divisor, if it is positive
};
// Returns the mean of each window of the images x, in which padding counts as 0. The shape is that of max_pool. x has a
// floating-point type.
Tensor avg_pool(const Tensor& x, const AvgPoolOptions& options = {},
                std::source_location where = std::source_location::current());
// Returns (sum of |element|^p)^(1/p) of each window of the images x, for p > 0. The shape is that of max_pool. The gradient
// of a window of zeros is 0.
Tensor lp_pool(const Tensor& x, double p = 2, const PoolOptions& options = {},
               std::source_location where = std::source_location::current());

// Each of these pools all elements of each channel of an image. The result is [n, c, 1, ...] with the rank of x.
Tensor global_max_pool(const Tensor& x, std::source_location where = std::source_location::current());
Tensor global_avg_pool(const Tensor& x, std::source_location where = std::source_location::current());
Tensor global_lp_pool(const Tensor& x, double p = 2, std::source_location where = std::source_location::current());

}  // namespace cutset
