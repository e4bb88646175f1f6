include "ir/dialect/base.td"

def Cutset_Conv2dBackwardInputOp : NotDifferentiable<"conv2d_backward_input"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of conv2d for its images, from the gradient of its result and its filter; `like` is the "
                "batch of images";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$filter, AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups);
  let constraints = ["C1: conv2d accepts images with the type of `like`, the filter and the attributes",
                     "C2: the gradient has the type of the result of that conv2d"];
  let returns = "the shape and element type of `like`";
  let example = [{%d = cutset.conv2d_backward_input %g, %w, %x
                  : tensor<64x50x8x8xf32>, tensor<50x20x5x5xf32>, tensor<64x20x12x12xf32>}];
}
