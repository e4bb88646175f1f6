// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Sgd : OptimizerStruct<"sgd"> {
  let members = [
    Number<"learning_rate", "0.01", "the step size">,
    Number<"momentum", "0", "the factor of the velocity; 0: plain gradient descent">,
    Number<"dampening", "0", "how much of g the velocity leaves out">,
    Number<"weight_decay", "0", "the factor of an L2 penalty">,
    Flag<"nesterov", "needs a momentum above 0 and no dampening">];
  let handwrittenConversion = 1;
  let description = [{
    Stochastic gradient descent with momentum (Sutskever et al., "On the importance of initialization and
    momentum in deep learning", ICML 2013), as torch.optim.SGD:
      g += weight_decay w; v = momentum v + (1 - dampening) g, and v = g in the first step;
      w -= learning_rate (nesterov ? g + momentum v : v).
    The states are "velocity", v, and the scalar "started", which is 1 after the first step. If dampening,
    weight_decay and nesterov have their defaults, there is no "started". If they have their defaults, and no
    parameter group has a weight decay, "dampening" and "weight_decay" are no hyper-parameters of the session.
  }];
}

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
  let optimizers = [Sgd];
  let constraints = ["C1: variable, velocity and gradient have the same floating-point type and shape; if "
                     "the variable is f16 or bf16, the states are f32, and the gradient may be",
                     "C2: started and the hyper-parameters are scalars of the type of the states"];
  let returns = "each has the type of the operand that it replaces";
  let example = [{%new_w, %new_v, %one = cutset.decayed_sgd %w, %v, %started, %g, %rate, %momentum, %dampening, %decay
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<f32>, tensor<500x800xf32>, tensor<f32>,
                    tensor<f32>, tensor<f32>, tensor<f32>}];
}
