// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_LayerNormOp : Compute<"layer_norm"> {
  let builderNamespace = "cutset::ops";  // the public function is written by hand
  let summary = "Layer normalization: (x - mean) / sqrt(variance + epsilon) * scale + bias, where mean and "
                "variance are taken over the dimensions from `axis` on; the variance is the mean of the "
                "squared deviations";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$scale, Optional<AnyRankedTensor>:$bias);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let constraints = ["C1: x has a floating-point type",
                     "C2: `axis` is a dimension of x; a negative axis counts from the end",
                     "C3: scale and bias have the dimensions of x from `axis` on, and the element type of x",
                     "C4: epsilon is a finite number that is not negative"];
  let returns = "the shape and element type of x";
  let example = [{%y = cutset.layer_norm %x, %s, %b : tensor<8x16x64xf32>, tensor<64xf32>, tensor<64xf32>}];
}
def Cutset_LayerNormBackwardInputOp : NotDifferentiable<"layer_norm_backward_input"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of layer_norm for x";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x, AnyRankedTensor:$scale);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let constraints = ["C1 to C4: as for layer_norm", "C5: the gradient has the shape and element type of x"];
  let returns = "the shape and element type of x";
  let example = [{%d = cutset.layer_norm_backward_input %g, %x, %s
                  : tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<64xf32>}];
}
def Cutset_LayerNormBackwardScaleOp : NotDifferentiable<"layer_norm_backward_scale"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of layer_norm for the scale: the sum of gradient * (x - mean) / sqrt(variance + "
                "epsilon) over the dimensions before `axis`";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let constraints = ["C1, C2 and C4: as for layer_norm", "C5: the gradient has the shape and element type "
                                                         "of x"];
  let returns = "the dimensions of x from `axis` on; the element type of x";
  let example = [{%d = cutset.layer_norm_backward_scale %g, %x : tensor<8x16x64xf32>, tensor<8x16x64xf32>}];
}
