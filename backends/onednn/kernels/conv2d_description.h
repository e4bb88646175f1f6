// The parameters of a convolution in the form that oneDNN uses.
#pragma once
#include "backends/onednn/primitive.h"

namespace cutset::onednn {

struct ConvDescription {
  dnnl::memory::dims strides, dilates, padding_left, padding_right;
  std::vector<int64_t> filter;  // the filter's shape; if there are several groups, with their number as first dimension
};

// `x`, `filter` and `y` are the shapes of the images, the filter and the result. A is the attribute struct of conv2d or
// of one of its two backward ops, which have the same fields.
template <class A>
ConvDescription describe_conv(const A& a, std::span<const int64_t> x, std::span<const int64_t> filter,
                              std::span<const int64_t> y) {
  ConvDescription c;
  for (size_t d : {0, 1}) {
    c.strides.push_back(a.stride.data[d]);
    c.dilates.push_back(a.dilation.data[d] - 1);  // oneDNN counts the skipped elements
    c.padding_left.push_back(a.padding.data[d]);
    // oneDNN requires that (padded size - extent) / stride + 1 is the size of the result, without a remainder. The
    // padding on the right is chosen accordingly, and may be negative.
    const int64_t extent = a.dilation.data[d] * (filter[2 + d] - 1) + 1;
    c.padding_right.push_back((y[2 + d] - 1) * a.stride.data[d] + extent - x[2 + d] - a.padding.data[d]);
  }
  c.filter.assign(filter.begin(), filter.end());
  if (a.groups > 1) c.filter = {a.groups, filter[0] / a.groups, filter[1], filter[2], filter[3]};
  return c;
}

}  // namespace cutset::onednn
