include "ir/dialect/base.td"

def Cutset_Conv2dBackwardInputOp : NotDifferentiable<"conv2d_backward_input"> {
  let summary = "gradient of conv2d for its input";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$filter, AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups);
  let constraints = ["C1: the operands are those of a valid conv2d; `like` has the type of the input",
                     "C2: the gradient has the type of its result"];
}
