// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_AvgPoolOp : Compute<"avg_pool"> {
  let builderNamespace = "";
  let summary = "Mean of each window of a batch of images [N, C, ...] of one to three dimensions: the sum "
                "of its elements, where padding counts as 0, divided by divisor_override, if that is "
                "positive, and otherwise by the number of elements of the window in the image, or, with "
                "count_include_pad, in the padded image; the mean of a window without elements is 0";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$kernel,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilation,
                        DefaultValuedAttr<BoolAttr, "false">:$ceil_mode,
                        DefaultValuedAttr<BoolAttr, "true">:$count_include_pad,
                        DefaultValuedAttr<I64Attr, "0">:$divisor_override);
  let constraints = [
    "C1: x has a rank from 3 to 5 and a floating-point type",
    "C2: kernel and dilation have one positive number per axis of the images, and stride one positive "
    "number per axis or none, which means the kernel; no dilation means 1; padding has one number per axis "
    "for both sides, or one per axis for the side before the image and then one per axis for the side after "
    "it, or none, which means 0; all numbers are below 2^20",
    "C3: the images have elements along every axis, the padding of a side is smaller than the dilated "
    "window, and the window is "
    "not larger than the padded image",
    "C4: divisor_override is not negative",
  ];
  let returns = "[N, C, ...] with the sizes floor((X + padding - dilation (kernel - 1) - 1) / stride) + 1, "
                "where X is the size of x and the padding is the sum of both sides; with ceil_mode, the "
                "quotient is rounded up, but the last window begins in the image or in the padding in front "
                "of it; the element type of x";
  let example = [{%y = cutset.avg_pool %x <{kernel = array<i64: 2, 2>, padding = array<i64: 1, 1>}>
                  : tensor<64x20x24x24xf32>}];
}
def Cutset_AvgPoolBackwardOp : NotDifferentiable<"avg_pool_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of avg_pool for its images: each element adds the gradients of the windows that "
                "it lies in, divided as avg_pool divides; `like` is the batch of images";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$like);
  let attributes = (ins DenseI64ArrayAttr:$kernel,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilation,
                        DefaultValuedAttr<BoolAttr, "false">:$ceil_mode,
                        DefaultValuedAttr<BoolAttr, "true">:$count_include_pad,
                        DefaultValuedAttr<I64Attr, "0">:$divisor_override);
  let constraints = ["C1 to C4: as for avg_pool of `like`", "C5: the gradient has the type of the result "
                                                            "of avg_pool"];
  let returns = "the shape and element type of `like`";
  let example = [{%d = cutset.avg_pool_backward %g, %x <{kernel = array<i64: 2, 2>}>
                  : tensor<64x20x12x12xf32>, tensor<64x20x24x24xf32>}];
}
