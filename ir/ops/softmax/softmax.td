// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

class Softmax<string name> : Compute<name> {
  let family = "softmax";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis);
  let constraints = ["C1: x has a floating-point type",
                     "C2: `axis` is a dimension of x; a negative axis counts from the end"];
  let returns = "the shape and element type of x";
  let example = "%y = cutset." # name # " %x <{axis = 1 : i64}> : tensor<64x10xf32>";
}
def Cutset_SoftmaxOp : Softmax<"softmax"> {
  let summary = "Softmax along `axis`: exp(x) divided by its sum along the axis; all elements of a line are "
                "NaN if one of them is NaN or infinity, or all are -infinity";
}
def Cutset_LogSoftmaxOp : Softmax<"log_softmax"> {
  let summary = "Logarithm of softmax along `axis`; all elements of a line are NaN if one of them is NaN or "
                "infinity, or all are -infinity";
}

class SoftmaxBackward<string name> : NotDifferentiable<name> {
  let family = "softmax_backward";
  let builderNamespace = "cutset::ops";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$y);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis);
  let constraints = ["C1: y has a floating-point type",
                     "C2: `axis` is a dimension of y; a negative axis counts from the end",
                     "C3: the gradient has the shape and element type of y"];
  let returns = "the shape and element type of y";
  let example = "%d = cutset." # name # " %g, %y <{axis = 1 : i64}> : tensor<64x10xf32>, tensor<64x10xf32>";
}
def Cutset_SoftmaxBackwardOp : SoftmaxBackward<"softmax_backward"> {
  let summary = "Gradient of softmax for its operand, from the result y: y * (gradient - the sum of "
                "gradient * y along `axis`)";
}
def Cutset_LogSoftmaxBackwardOp : SoftmaxBackward<"log_softmax_backward"> {
  let summary = "Gradient of log_softmax for its operand, from the result y: gradient - exp(y) * the sum of "
                "the gradient along `axis`";
}
