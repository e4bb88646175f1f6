include "ir/dialect/base.td"

def Cutset_Conv2dBackwardFilterOp : NotDifferentiable<"conv2d_backward_filter"> {
  let summary = "gradient of conv2d for its filter";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x, AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups);
  let constraints = ["C1: the operands are those of a valid conv2d; `like` has the type of the filter",
                     "C2: the gradient has the type of its result"];
}
