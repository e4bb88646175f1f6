// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_MovingAverageOp : NotDifferentiable<"moving_average"> {
  let builderNamespace = "cutset::ops";
  let summary = "An exponential moving average, which replaces the average in its memory: decay * average + "
                "(1 - decay) * value; each operation is rounded on its own";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$average, AnyRankedTensor:$value, AnyRankedTensor:$decay);
  let results = (outs AnyRankedTensor:$new_average);
  let updates = 1;
  let constraints = ["C1: average and value have the same floating-point type and shape; if the value is "
                     "f16 or bf16, the average is f32",
                     "C2: decay is a scalar of the type of the average"];
  let returns = "the type of the average";
  let example = [{%new = cutset.moving_average %average, %w, %decay : tensor<500x800xf32>, tensor<500x800xf32>, tensor<f32>}];
}
