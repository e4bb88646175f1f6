include "ir/dialect/base.td"

def Cutset_Conv2dOp : Compute<"conv2d"> {
  let summary = "2-d convolution (cross-correlation) of NCHW images with OIHW filters, plus a bias";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$filter, Optional<AnyRankedTensor>:$bias);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups);
  let constraints = [
    "C1: x and filter have rank 4 and one floating-point type",
    "C2: stride and dilation are two positive numbers, padding two that are not negative, all below 2^20; groups is positive",
    "C3: the input channels are groups times the filter's, and groups divides the output channels",
    "C4: the dilated filter fits the padded image",
    "C5: the bias has one element an output channel, and the type of x",
  ];
  let example = [{%y = cutset.conv2d %x, %w, %b <{padding = array<i64: 2, 2>}> : tensor<64x1x28x28xf32>, tensor<20x1x5x5xf32>, tensor<20xf32>}];
}
