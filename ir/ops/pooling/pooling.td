// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_MaxPoolOp : Compute<"max_pool"> {
  let builderNamespace = "";
  let summary = "Maximum of each window of a batch of images [N, C, ...] of one to three dimensions; "
                "padding counts as -infinity, and NaN counts as the maximum; the maximum of a window "
                "without elements is the lowest number of the type";
  let family = "pooling";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$kernel,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilation,
                        DefaultValuedAttr<BoolAttr, "false">:$ceil_mode);
  let constraints = [
    "C1: x has a rank from 3 to 5 and is not i1",
    "C2: kernel and dilation have one positive number per axis of the images, and stride one positive "
    "number per axis or none, which means the kernel; no dilation means 1; padding has one number per axis "
    "for both sides, or one per axis for the side before the image and then one per axis for the side after "
    "it, or none, which means 0; all numbers are below 2^20",
    "C3: the images have elements along every axis, the padding of a side is smaller than the dilated "
    "window, and the window is "
    "not larger than the padded image",
  ];
  let returns = "[N, C, ...] with the sizes floor((X + padding - dilation (kernel - 1) - 1) / stride) + 1, "
                "where X is the size of x and the padding is the sum of both sides; with ceil_mode, the "
                "quotient is rounded up, but the last window begins in the image or in the padding in front "
                "of it; the element type of x";
  let example = [{%y = cutset.max_pool %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>}>
                  : tensor<64x20x24x24xf32>}];
}
def Cutset_MaxPoolBackwardOp : NotDifferentiable<"max_pool_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of max_pool for its images x: each element of the gradient is added at the first "
                "maximum of its window";
  let family = "pooling_backward";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$kernel,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilation,
                        DefaultValuedAttr<BoolAttr, "false">:$ceil_mode);
  let constraints = ["C1: x has a rank from 3 to 5 and a floating-point type", "C2 and C3: as for max_pool",
                     "C4: the gradient has the type of the result of max_pool"];
  let returns = "the shape and element type of x";
  let example = [{%d = cutset.max_pool_backward %g, %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>}>
                  : tensor<64x20x12x12xf32>, tensor<64x20x24x24xf32>}];
}
def Cutset_MaxPoolIndicesOp : NotDifferentiable<"max_pool_indices"> {
  let builderNamespace = "";
  let summary = "Index of the first maximum of each window of max_pool, in the row-major order of the "
                "channel of the image that "
                "it lies in; the index of a window without elements is -1";
  let family = "pooling_indices";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$kernel,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilation,
                        DefaultValuedAttr<BoolAttr, "false">:$ceil_mode);
  let constraints = ["C1 to C3: as for max_pool"];
  let returns = "the shape of the result of max_pool; i64";
  let example = [{%y = cutset.max_pool_indices %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>}>
                  : tensor<64x20x24x24xf32>}];
}
