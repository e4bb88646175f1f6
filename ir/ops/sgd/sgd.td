include "ir/dialect/base.td"

def Cutset_SgdOp : NotDifferentiable<"sgd"> {
  let summary = "stochastic gradient descent with momentum: velocity' = momentum velocity + gradient, variable' = variable - learning_rate velocity'";
  let inputs = (ins AnyRankedTensor:$variable, AnyRankedTensor:$velocity, AnyRankedTensor:$gradient);
  let results = (outs AnyRankedTensor:$new_variable, AnyRankedTensor:$new_velocity);
  let attributes = (ins F64Attr:$learning_rate, DefaultValuedAttr<F64Attr, "0.0">:$momentum);
  let updates = 2;
  let constraints = ["C1: the three are of one floating-point type and shape"];
}
