// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_FusedConvOp : NotDifferentiable<"fused_conv"> {
  let builderNamespace = "cutset::ops";
  let summary = "Convolution with an optional bias as `conv` computes it, and then `relu`; NaN stays NaN";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$filter, Optional<AnyRankedTensor>:$bias);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups);
  let constraints = [
    "C1: x and filter have the same rank, from 3 to 5, and the same floating-point type",
    "C2: stride and dilation have one positive number per axis of the images, or none, which means 1; "
    "padding has one number per axis for both sides, or one per axis for the side before the image and then "
    "one per axis for the side after it, or none, which means 0; all numbers are below 2^20",
    "C3: groups is positive, x has groups times as many channels as the filter has input channels, and "
    "groups divides the number of output channels",
    "C4: the dilated filter is not larger than the padded image",
    "C5: the bias has one element per output channel and the element type of x",
  ];
  let returns = "the shape of the result of conv; the element type of x";
  let example = [{%y = cutset.fused_conv %x, %w, %b <{padding = array<i64: 2, 2>}>
                  : tensor<64x1x28x28xf32>, tensor<20x1x5x5xf32>, tensor<20xf32>}];
}
