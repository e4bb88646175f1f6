// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_ConvBackwardFilterOp : NotDifferentiable<"conv_backward_filter"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of conv for its filter, from the gradient of its result and its images x; `like` "
                "is the filter";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x, AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$stride,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilation,
                        DefaultValuedAttr<I64Attr, "1">:$groups);
  let constraints = ["C1: conv accepts x, a filter with the type of `like`, and the attributes",
                     "C2: the gradient has the type of the result of that conv"];
  let returns = "the shape and element type of `like`";
  let example = [{%d = cutset.conv_backward_filter %g, %x, %w
                  : tensor<64x20x24x24xf32>, tensor<64x1x28x28xf32>, tensor<20x1x5x5xf32>}];
}
