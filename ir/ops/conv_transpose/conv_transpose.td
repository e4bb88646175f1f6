// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_ConvTransposeOp : Compute<"conv_transpose"> {
  let builderNamespace = "cutset::ops";  // the function with a bias is written by hand
  let byPosition = ["stride", "padding", "output_padding", "groups", "dilation"];
  let perAxis = ["stride", "padding", "dilation", "output_padding"];
  let summary = "Transposed convolution of x, which is the gradient of `conv` for its images: each element "
                "of x adds the filter, times the element, to the result; `like` is a tensor with the type "
                "of the result, which gradients pass";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$filter, Optional<AnyRankedTensor>:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_padding);
  let constraints = [
    "C1: x, [N, O, ...], and filter, [O, C / groups, ...], have the same rank, from 3 to 5, and the same "
    "floating-point type",
    "C2: stride, padding and dilation are as for conv",
    "C3: output_padding has one number per axis, from 0 to the stride - 1, or none, which means 0; it has "
    "none if there is a `like`",
    "C4: the padding is not larger than the result",
    "C5: conv of a tensor with the type of the result, with the filter and the attributes, has the type of x",
  ];
  let returns = "[N, C, ...] with the sizes (X - 1) stride + dilation (K - 1) + 1 - padding + "
                "output_padding, where X and K are the sizes of x and the filter, and the padding is that "
                "of both sides, or the shape of `like`; the element type of x";
  let example = [{%y = cutset.conv_transpose %x, %w <{stride = array<i64: 2, 2>, output_padding = array<i64: 1, 1>}>
                  : tensor<64x50x8x8xf32>, tensor<50x20x5x5xf32>}];
}
