include "ir/dialect/base.td"

def Cutset_MaxPool2dOp : Compute<"max_pool2d"> {
  let summary = "largest value of each window of NCHW images; padding never wins";
  let family = "pooling";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride, DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding);
  let constraints = ["C1: x has rank 4 and a floating-point type",
                     "C2: kernel and stride are two positive numbers below 2^20; padding is two, each at most half the kernel",
                     "C3: the image has rows and columns, and the window fits the padded image"];
}
def Cutset_MaxPool2dBackwardOp : NotDifferentiable<"max_pool2d_backward"> {
  let summary = "gradient of max_pool2d: each goes to the first largest value of its window";
  let family = "pooling_backward";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride, DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding);
  let constraints = ["C1 to C3: as max_pool2d", "C4: the gradient has the type of its result"];
}
