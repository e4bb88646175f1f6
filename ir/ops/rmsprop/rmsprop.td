// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def RmsProp : OptimizerStruct<"rmsprop"> {
  let members = [
    Number<"learning_rate", "0.01", "the step size">, Decay<"alpha", "0.99", "the decay of s and m">,
    Number<"epsilon", "1e-8", "added to the root">,
    Number<"weight_decay", "0", "the factor of an L2 penalty">,
    Number<"momentum", "0", "the factor of the velocity">,
    OpFlag<"centered", "centered_rmsprop", "whether g is divided by its standard deviation">];
  let description = [{
    RMSProp (Tieleman and Hinton, "Lecture 6.5 - rmsprop", 2012) with momentum, and its centered form (Graves,
    "Generating Sequences With Recurrent Neural Networks", 2013), as torch.optim.RMSprop:
      g += weight_decay w; s = alpha s + (1 - alpha) g^2; m = alpha m + (1 - alpha) g;
      v = momentum v + g / (sqrt(centered ? s - m^2 : s) + epsilon); w -= learning_rate v.
    The states are "square_mean", s; "velocity", v; and, if `centered` is true, "gradient_mean", m.
  }];
}

def Cutset_RmspropOp : NotDifferentiable<"rmsprop"> {
  let builderNamespace = "cutset::ops";
  let summary = "RMSProp (Tieleman and Hinton, 2012) with momentum: steps along the gradient, divided by "
                "the square root of the mean of the squares of the gradients; each operation is rounded on "
                "its own";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$square_mean, AnyRankedTensor:$velocity,
                    AnyRankedTensor:$gradient, AnyRankedTensor:$learning_rate, AnyRankedTensor:$alpha,
                    AnyRankedTensor:$epsilon, AnyRankedTensor:$weight_decay, AnyRankedTensor:$momentum);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_square_mean,
                      AnyRankedTensor:$new_velocity);
  let updates = 3;
  let optimizers = [RmsProp];
  let constraints = ["C1: variable, the states and gradient have the same floating-point type and shape; if "
                     "the variable is f16 or bf16, the states are f32, and the gradient may be",
                     "C2: the hyper-parameters are scalars of the type of the states"];
  let returns = "each has the type of the operand that it replaces";
  let example = [{%new_w, %new_s, %new_v = cutset.rmsprop %w, %s, %v, %g, %rate, %alpha, %epsilon, %decay, %momentum
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>, tensor<f32>,
                    tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>}];
}

def Cutset_CenteredRmspropOp : NotDifferentiable<"centered_rmsprop"> {
  let builderNamespace = "cutset::ops";
  let summary = "RMSProp whose gradient is divided by an estimate of its standard deviation (Graves, 2013): "
                "the square root of the mean of its squares minus the square of its mean, or 0 if rounding "
                "makes this negative; each operation is rounded on its own";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$square_mean, AnyRankedTensor:$velocity,
                    AnyRankedTensor:$gradient_mean, AnyRankedTensor:$gradient, AnyRankedTensor:$learning_rate,
                    AnyRankedTensor:$alpha, AnyRankedTensor:$epsilon, AnyRankedTensor:$weight_decay,
                    AnyRankedTensor:$momentum);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_square_mean,
                      AnyRankedTensor:$new_velocity,
                      AnyRankedTensor:$new_gradient_mean);
  let updates = 4;
  let constraints = ["C1 and C2: as for rmsprop"];
  let returns = "each has the type of the operand that it replaces";
  let example = [{%new_w, %new_s, %new_v, %new_m = cutset.centered_rmsprop %w, %s, %v, %m, %g, %rate, %alpha, %epsilon, %decay, %momentum
                  : tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>, tensor<500x800xf32>,
                    tensor<500x800xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>}];
}
