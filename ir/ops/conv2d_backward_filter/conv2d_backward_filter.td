include "ir/dialect/base.td"

def Cutset_Conv2dBackwardFilterOp : NotDifferentiable<"conv2d_backward_filter"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of conv2d for its filter, from the gradient of its result and its images x; `like` is the "
                "filter";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x, AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups);
  let constraints = ["C1: conv2d accepts x, a filter with the type of `like`, and the attributes",
                     "C2: the gradient has the type of the result of that conv2d"];
  let returns = "the shape and element type of `like`";
  let example = [{%d = cutset.conv2d_backward_filter %g, %x, %w
                  : tensor<64x20x24x24xf32>, tensor<64x1x28x28xf32>, tensor<20x1x5x5xf32>}];
}
