// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_BatchNormOp : Compute<"batch_norm"> {
  let summary = "Normalization of each channel with given statistics: (x - mean) / sqrt(variance + epsilon) "
                "* scale + bias";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$scale, AnyRankedTensor:$bias, AnyRankedTensor:$mean,
                    AnyRankedTensor:$variance);
  let attributes = (ins DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let constraints = ["C1: x has a floating-point type and rank 2 or more; dimension 1 is the channel",
                     "C2: scale, bias, mean and variance have one element per channel and the element type "
                     "of x",
                     "C3: epsilon is a finite number that is not negative"];
  let returns = "the shape and element type of x";
  let example = [{%y = cutset.batch_norm %x, %s, %b, %m, %v : tensor<8x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>,
                  tensor<3xf32>, tensor<3xf32>}];
}
def Cutset_BatchNormBackwardScaleOp : NotDifferentiable<"batch_norm_backward_scale"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of batch_norm for the scale: the sum of gradient * (x - mean) / sqrt(variance + "
                "epsilon) over each channel";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x, AnyRankedTensor:$mean,
                    AnyRankedTensor:$variance);
  let attributes = (ins DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let constraints = ["C1 to C3: as for batch_norm", "C4: the gradient has the shape and element type of x"];
  let returns = "one element per channel; the element type of x";
  let example = [{%d = cutset.batch_norm_backward_scale %g, %x, %m, %v
                  : tensor<8x3x4x4xf32>, tensor<8x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>}];
}
def Cutset_SumSquaredDeviationsOp : Compute<"sum_squared_deviations"> {
  let summary = "Sum of (x - mean)^2 over each channel; it is the variance of the channel times the number "
                "of its elements if `mean` is the mean of the channel";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$mean);
  let constraints = ["C1: x has a floating-point type and rank 2 or more; dimension 1 is the channel",
                     "C2: mean has one element per channel and the element type of x"];
  let returns = "one element per channel; the element type of x";
  let example = [{%s = cutset.sum_squared_deviations %x, %m : tensor<8x3x4x4xf32>, tensor<3xf32>}];
}
