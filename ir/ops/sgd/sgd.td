include "ir/dialect/base.td"

def Cutset_SgdOp : NotDifferentiable<"sgd"> {
  let summary = "stochastic gradient descent with momentum: velocity' = momentum velocity + gradient, variable' = variable - learning_rate velocity'";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$velocity, AnyRankedTensor:$gradient, AnyRankedTensor:$learning_rate, AnyRankedTensor:$momentum);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_velocity);
  let updates = 2;
  let constraints = ["C1: variable, velocity and gradient are of one floating-point type and shape", "C2: learning_rate and momentum are scalars of that type"];
}
