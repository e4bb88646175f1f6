// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

class GradientChange<string name> : NotDifferentiable<name> {
  let builderNamespace = "cutset::ops";
  let family = "clip_gradient";
  let roundsAlike = 1;
  let returns = "the shape of the gradient, with the element type of the second operand";
}
def Cutset_ClipGradientOp : GradientChange<"clip_gradient"> {
  let summary = "Each element of a gradient, limited to the range from -limit to limit; NaN stays NaN";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$limit);
  let constraints = ["C1: the gradient has a floating-point type",
                     "C2: the second operand is a scalar of the element type of the gradient, or f32 if "
                     "that is f16 or bf16"];
  let example = [{%c = cutset.clip_gradient %g, %limit : tensor<500x800xf32>, tensor<f32>}];
}
def Cutset_ScaleGradientOp : GradientChange<"scale_gradient"> {
  let summary = "Product of each element of a gradient and a factor";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$factor);
  let constraints = ["C1 and C2: as for clip_gradient"];
  let example = [{%c = cutset.scale_gradient %g, %factor : tensor<500x800xf32>, tensor<f32>}];
}
