// SPDX-License-Identifier: Apache-2.0
// The convolution of a fused_conv, for the op's rules and for the kernels of the backends.
#pragma once
#include "ir/ops/conv/conv_attrs.h"
#include "ir/ops/fused_conv/fused_conv_attrs.h"

namespace cutset {

// Returns the attributes of the conv to whose result relu is applied. They are valid as long as `a` is.
inline ConvAttrs product_of(const FusedConvAttrs& a) {
  ConvAttrs c{};
  c.size = sizeof c;
  c.stride = a.stride;
  c.padding = a.padding;
  c.dilation = a.dilation;
  c.groups = a.groups;
  return c;
}

}  // namespace cutset
