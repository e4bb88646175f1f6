// SPDX-License-Identifier: Apache-2.0
// The parameters of a convolution in the form that oneDNN uses.
#pragma once
#include "backends/onednn/primitive.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset::onednn {

struct ConvDescription {
  dnnl::memory::dims strides, dilates, padding_left, padding_right;
  std::vector<int64_t>
      filter;  // the filter's shape; if there are several groups, their number is the first dimension
};

// Describes a convolution. `x` and `filter` are the shapes of the images and the filter. A is the attribute
// struct of conv, conv_transpose or conv_backward_filter, which have the same fields. The problem must be
// valid.
template <class A>
ConvDescription describe_conv(const A& a, std::span<const int64_t> x, std::span<const int64_t> filter) {
  ConvDescription c;
  const ConvShape s = *conv_shape_of(a, x, filter);
  for (size_t i = s.axes.size() - s.rank; i < s.axes.size(); ++i) {
    const WindowAxis& axis = s.axes[i];
    c.strides.push_back(axis.stride);
    c.dilates.push_back(axis.dilation - 1);  // oneDNN counts the skipped elements
    c.padding_left.push_back(axis.before);
    // oneDNN requires that (padded size - extent) / stride + 1 is the size of the result, without a
    // remainder. The padding on the right is chosen accordingly, and may be negative.
    c.padding_right.push_back((axis.out - 1) * axis.stride + axis.extent() - axis.in - axis.before);
  }
  c.filter.assign(filter.begin(), filter.end());
  if (s.groups > 1) {
    c.filter[0] /= s.groups;
    c.filter.insert(c.filter.begin(), s.groups);
  }
  return c;
}

}  // namespace cutset::onednn
