include "ir/dialect/base.td"

def Cutset_FusedConv2dOp : NotDifferentiable<"fused_conv2d"> {
  let builderNamespace = "cutset::ops";
  let summary = "Convolution with an optional bias as `conv2d` computes it, and then `relu`; NaN stays NaN";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$filter, Optional<AnyRankedTensor>:$bias);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups);
  let constraints = [
    "C1: x and filter have rank 4 and the same floating-point type",
    "C2: stride and dilation are two positive numbers each, padding two numbers that are not negative, all below 2^20; "
    "groups is positive",
    "C3: x has groups times as many channels as the filter has input channels, and groups divides the number of output "
    "channels",
    "C4: the dilated filter is not larger than the padded image",
    "C5: the bias has one element per output channel and the element type of x",
  ];
  let returns = "the shape of the result of conv2d; the element type of x";
  let example = [{%y = cutset.fused_conv2d %x, %w, %b <{padding = array<i64: 2, 2>}>
                  : tensor<64x1x28x28xf32>, tensor<20x1x5x5xf32>, tensor<20xf32>}];
}
