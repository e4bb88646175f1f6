// The convolution of a fused_conv2d, for the op's rules and for the kernels of the backends.
#pragma once
#include "ir/ops/conv2d/conv2d_attrs.h"
#include "ir/ops/fused_conv2d/fused_conv2d_attrs.h"

namespace cutset {

// The attributes of the conv2d to whose result relu is applied. They are valid as long as `a`.
inline Conv2dAttrs product_of(const FusedConv2dAttrs& a) {
  Conv2dAttrs c{};
  c.size = sizeof c;
  c.stride = a.stride, c.padding = a.padding, c.dilation = a.dilation, c.groups = a.groups;
  return c;
}

}  // namespace cutset
