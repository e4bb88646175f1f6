// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_LambOp : NotDifferentiable<"lamb"> {
  let builderNamespace = "cutset::ops";
  let summary = "LAMB (You et al., ICLR 2020, algorithm 2): the step of Adam with decoupled weight decay, "
                "scaled to the length of the variable; each operation is rounded on its own, and the "
                "lengths are sums in a fixed order";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$first_moment, AnyRankedTensor:$second_moment,
                    AnyRankedTensor:$first_weight, AnyRankedTensor:$second_weight, AnyRankedTensor:$gradient,
                    AnyRankedTensor:$learning_rate, AnyRankedTensor:$beta1, AnyRankedTensor:$beta2,
                    AnyRankedTensor:$epsilon, AnyRankedTensor:$weight_decay);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_first_moment,
                      AnyRankedTensor:$new_second_moment, AnyRankedTensor:$new_first_weight,
                      AnyRankedTensor:$new_second_weight);
  let updates = 5;
  let constraints = ["C1: variable, first_moment, second_moment and gradient have the same floating-point "
                     "type and shape; if the variable is f16 or bf16, the states are f32, and the gradient "
                     "may be",
                     "C2: first_weight, second_weight and the hyper-parameters are scalars of the type of "
                     "the states"];
  let returns = "each has the type of the operand that it replaces";
  let example = [{%new_w, %new_m, %new_v, %new_a, %new_b = cutset.lamb %w, %m, %v, %a, %b, %g, %rate, %beta1, %beta2, %epsilon, %decay
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>, tensor<f32>, tensor<f32>,
                    tensor<500x800xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>}];
}
