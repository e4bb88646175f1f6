// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Adadelta : OptimizerStruct<"adadelta"> {
  let members = [
    Number<"learning_rate", "1", "the factor of d">, Decay<"rho", "0.9", "the decay of s and u">,
    Number<"epsilon", "1e-6", "added to s and u under the roots">,
    Number<"weight_decay", "0", "the factor of an L2 penalty">];
  let description = [{
    Adadelta (Zeiler, "ADADELTA: An Adaptive Learning Rate Method", arXiv:1212.5701, 2012, algorithm 1), as
    torch.optim.Adadelta:
      g += weight_decay w; s = rho s + (1 - rho) g^2;
      d = sqrt(u + epsilon) / sqrt(s + epsilon) g; u = rho u + (1 - rho) d^2; w -= learning_rate d.
    The states are "square_mean", s, and "square_step_mean", u.
  }];
}

def Cutset_AdadeltaOp : NotDifferentiable<"adadelta"> {
  let builderNamespace = "cutset::ops";
  let summary = "Adadelta (Zeiler, 2012): steps along the gradient, divided by the square root of the mean "
                "of the squares of the gradients, times the square root of the mean of the squares of the "
                "steps; each operation is rounded on its own";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$square_mean,
                    AnyRankedTensor:$square_step_mean, AnyRankedTensor:$gradient,
                    AnyRankedTensor:$learning_rate, AnyRankedTensor:$rho, AnyRankedTensor:$epsilon,
                    AnyRankedTensor:$weight_decay);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_square_mean,
                      AnyRankedTensor:$new_square_step_mean);
  let updates = 3;
  let optimizers = [Adadelta];
  let constraints = ["C1: variable, the states and gradient have the same floating-point type and shape; if "
                     "the variable is f16 or bf16, the states are f32, and the gradient may be",
                     "C2: the hyper-parameters are scalars of the type of the states"];
  let returns = "each has the type of the operand that it replaces";
  let example = [{%new_w, %new_s, %new_u = cutset.adadelta %w, %s, %u, %g, %rate, %rho, %epsilon, %decay
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>,
                    tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>}];
}
