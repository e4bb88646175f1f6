// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Lamb : OptimizerStruct<"lamb"> {
  let members = [
    Number<"learning_rate", "1e-3", "the step size">, Decay<"beta1", "0.9", "the decay of m">,
    Decay<"beta2", "0.999", "the decay of v">, Number<"epsilon", "1e-6", "added to the root of v">,
    Number<"weight_decay", "0.01", "how much of w is added to r">];
  let description = [{
    LAMB (You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", ICLR 2020,
    algorithm 2, with the identity as phi). m and v are defined as in Adam:
      r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay w;
      w -= learning_rate |w| / |r| r, or w -= learning_rate r if a length is 0.
    The states are the same as in Adam. The lengths |w| and |r| run over the whole variable: replicas keep
    such variables whole, and the devices of a tensor axis do not divide them.
  }];
}

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
  let optimizers = [Lamb];
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
