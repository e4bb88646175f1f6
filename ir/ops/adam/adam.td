// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

defvar moments = [
    Number<"learning_rate", "1e-3", "the step size">, Decay<"beta1", "0.9", "the decay of m">,
    Decay<"beta2", "0.999", "the decay of v">, Number<"epsilon", "1e-8", "added to the root of v">];

def Adam : OptimizerStruct<"adam"> {
  let members = !listconcat(moments, [
    Number<"weight_decay", "0", "the factor of an L2 penalty">]);
  let attributes = ["decoupled = false"];
  let description = [{
    Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015, algorithm 1), as
    torch.optim.Adam:
      g += weight_decay w; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
      w -= learning_rate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon).
    The states are "first_moment", m; "second_moment", v; and the scalars "first_weight" and "second_weight",
    which are 1 - beta1^t and 1 - beta2^t.
  }];
}

def AdamW : OptimizerStruct<"adamw"> {
  let members = !listconcat(moments, [
    Number<"weight_decay", "0.01", "how much of w is subtracted per step">]);
  let attributes = ["decoupled = true"];
  let description = [{
    Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR
    2019, algorithm 2), as torch.optim.AdamW: as Adam, but weight_decay does not change g, and each step
    begins with
      w -= learning_rate weight_decay w.
  }];
}

def Cutset_AdamOp : NotDifferentiable<"adam"> {
  let builderNamespace = "cutset::ops";
  let summary = "Adam (Kingma and Ba, ICLR 2015) or, if `decoupled` is true, AdamW (Loshchilov and Hutter, "
                "ICLR 2019): steps along the mean of the gradients, divided by the square root of the mean "
                "of their squares; each operation is rounded on its own";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$first_moment, AnyRankedTensor:$second_moment,
                    AnyRankedTensor:$first_weight, AnyRankedTensor:$second_weight, AnyRankedTensor:$gradient,
                    AnyRankedTensor:$learning_rate, AnyRankedTensor:$beta1, AnyRankedTensor:$beta2,
                    AnyRankedTensor:$epsilon, AnyRankedTensor:$weight_decay);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$decoupled);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_first_moment,
                      AnyRankedTensor:$new_second_moment, AnyRankedTensor:$new_first_weight,
                      AnyRankedTensor:$new_second_weight);
  let updates = 5;
  let optimizers = [Adam, AdamW];
  let constraints = ["C1: variable, first_moment, second_moment and gradient have the same floating-point "
                     "type and shape; if the variable is f16 or bf16, the states are f32, and the gradient "
                     "may be",
                     "C2: first_weight, second_weight and the hyper-parameters are scalars of the type of "
                     "the states"];
  let returns = "each has the type of the operand that it replaces";
  let example = [{%new_w, %new_m, %new_v, %new_a, %new_b = cutset.adam %w, %m, %v, %a, %b, %g, %rate, %beta1, %beta2, %epsilon, %decay
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>, tensor<f32>, tensor<f32>,
                    tensor<500x800xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>}];
}
