// A convolution as oneDNN describes it.
#pragma once
#include "backends/onednn/primitive.h"

namespace cutset::onednn {

struct ConvDescription {
  dnnl::memory::dims strides, dilates, padding_left, padding_right;
  std::vector<int64_t> filter;  // with a leading dimension of groups where there are more than one
};

// Works for the attribute structs of conv2d and of both its backward ops, which have the same fields.
template <class A>
ConvDescription describe_conv(const A& a, std::span<const int64_t> x, std::span<const int64_t> filter,
                              std::span<const int64_t> y) {
  ConvDescription c;
  for (size_t d : {0, 1}) {
    c.strides.push_back(a.stride.data[d]);
    c.dilates.push_back(a.dilation.data[d] - 1);  // oneDNN counts what is skipped
    c.padding_left.push_back(a.padding.data[d]);
    // What oneDNN checks: (padded - extent) / stride + 1 must be exactly the output.
    const int64_t extent = a.dilation.data[d] * (filter[2 + d] - 1) + 1;
    c.padding_right.push_back((y[2 + d] - 1) * a.stride.data[d] + extent - x[2 + d] - a.padding.data[d]);
  }
  c.filter.assign(filter.begin(), filter.end());
  if (a.groups > 1) c.filter = {a.groups, filter[0] / a.groups, filter[1], filter[2], filter[3]};
  return c;
}

}  // namespace cutset::onednn
