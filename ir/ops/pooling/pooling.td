include "ir/dialect/base.td"

def Cutset_MaxPool2dOp : Compute<"max_pool2d"> {
  let builderNamespace = "";
  let summary = "Maximum of each window of a batch of NCHW images; padding counts as -infinity, and NaN counts as the "
                "maximum";
  let family = "pooling";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding);
  let constraints = ["C1: x has rank 4 and a floating-point type",
                     "C2: kernel and stride are two positive numbers each, below 2^20; padding is two numbers, each "
                     "from 0 to half the kernel",
                     "C3: the images have rows and columns, and the window is not larger than the padded image"];
  let returns = "[N, C, OH, OW], where OH = floor((H + 2 padding - kernel) / stride) + 1 and OW likewise; the element "
                "type of x";
  let example = [{%y = cutset.max_pool2d %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>}>
                  : tensor<64x20x24x24xf32>}];
}
def Cutset_MaxPool2dBackwardOp : NotDifferentiable<"max_pool2d_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of max_pool2d for its images x: each element of the gradient is added at the first maximum "
                "of its window";
  let family = "pooling_backward";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding);
  let constraints = ["C1 to C3: as for max_pool2d", "C4: the gradient has the type of the result of max_pool2d"];
  let returns = "the shape and element type of x";
  let example = [{%d = cutset.max_pool2d_backward %g, %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>}>
                  : tensor<64x20x12x12xf32>, tensor<64x20x24x24xf32>}];
}
