// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_SgdOp : NotDifferentiable<"sgd"> {
  let builderNamespace = "cutset::ops";
  let summary = "Stochastic gradient descent with momentum: new_velocity = momentum * velocity + gradient "
                "and new_variable = variable - learning_rate * new_velocity; each operation is rounded on "
                "its own";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$velocity, AnyRankedTensor:$gradient,
                    AnyRankedTensor:$learning_rate, AnyRankedTensor:$momentum);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_velocity);
  let updates = 2;
  let constraints = ["C1: variable, velocity and gradient have the same floating-point type and shape; if "
                     "the variable is f16 or bf16, the states are f32, and the gradient may be",
                     "C2: learning_rate and momentum are scalars of the type of the states"];
  let returns = "both have the shape and element type of the variable";
  let example = [{%new_w, %new_v = cutset.sgd %w, %v, %g, %rate, %momentum
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>, tensor<f32>, tensor<f32>}];
}
