// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_DecayedSgdOp : NotDifferentiable<"decayed_sgd"> {
  let builderNamespace = "cutset::ops";
  let summary = "Stochastic gradient descent with momentum, weight decay, dampening and, if `nesterov` is "
                "true, the momentum of Nesterov; each operation is rounded on its own";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$velocity, AnyRankedTensor:$started,
                    AnyRankedTensor:$gradient, AnyRankedTensor:$learning_rate, AnyRankedTensor:$momentum,
                    AnyRankedTensor:$dampening, AnyRankedTensor:$weight_decay);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$nesterov);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_velocity,
                      AnyRankedTensor:$new_started);
  let updates = 3;
  let constraints = ["C1: variable, velocity and gradient have the same floating-point type and shape; if "
                     "the variable is f16 or bf16, the states are f32, and the gradient may be",
                     "C2: started and the hyper-parameters are scalars of the type of the states"];
  let returns = "each has the type of the operand that it replaces";
  let example = [{%new_w, %new_v, %one = cutset.decayed_sgd %w, %v, %started, %g, %rate, %momentum, %dampening, %decay
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<f32>, tensor<500x800xf32>, tensor<f32>,
                    tensor<f32>, tensor<f32>, tensor<f32>}];
}
