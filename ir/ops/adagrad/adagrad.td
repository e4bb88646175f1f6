// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Adagrad : OptimizerStruct<"adagrad"> {
  let members = [
    Number<"learning_rate", "0.01", "the step size">,
    Number<"learning_rate_decay", "0", "how fast the step size falls">,
    Number<"weight_decay", "0", "the factor of an L2 penalty">,
    Number<"first_sum", "0", "the first value of s">,
    Number<"epsilon", "1e-10", "added to the root of s">];
  let description = [{
    Adagrad (Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic
    Optimization", JMLR 12, 2011), as torch.optim.Adagrad:
      g += weight_decay w; s += g^2;
      w -= learning_rate / (1 + (t - 1) learning_rate_decay) g / (sqrt(s) + epsilon).
    The states are "square_sum", s, which is `first_sum` before the first step, and the scalar "steps", t.
  }];
}

def Cutset_AdagradOp : NotDifferentiable<"adagrad"> {
  let builderNamespace = "cutset::ops";
  let summary = "Adagrad (Duchi, Hazan and Singer, JMLR 2011): steps along the gradient, divided by the "
                "square root of the sum of the squares of all gradients; each operation is rounded on its "
                "own";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$square_sum, AnyRankedTensor:$steps,
                    AnyRankedTensor:$gradient, AnyRankedTensor:$learning_rate,
                        AnyRankedTensor:$learning_rate_decay,
                    AnyRankedTensor:$epsilon, AnyRankedTensor:$weight_decay);
  let attributes = (ins DefaultValuedAttr<F64Attr, "0.0">:$first_sum);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_square_sum,
                      AnyRankedTensor:$new_steps);
  let updates = 3;
  let optimizers = [Adagrad];
  let constraints = ["C1: variable, square_sum and gradient have the same floating-point type and shape; if "
                     "the variable is f16 or bf16, the states are f32, and the gradient may be",
                     "C2: steps and the hyper-parameters are scalars of the type of the states",
                     "C3: first_sum, the value of square_sum before the first step, is finite and not "
                     "negative"];
  let returns = "each has the type of the operand that it replaces";
  let example = [{%new_w, %new_sum, %new_steps = cutset.adagrad %w, %sum, %steps, %g, %rate, %rate_decay, %epsilon, %decay
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<f32>, tensor<500x800xf32>, tensor<f32>,
                    tensor<f32>, tensor<f32>, tensor<f32>}];
}
