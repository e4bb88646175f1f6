include "ir/dialect/base.td"

def Cutset_AllFiniteOp : NotDifferentiable<"all_finite"> {
  let summary = "whether no element of any of the tensors is infinite or NaN, as a scalar";
  let structural = 1;
  let inputs = (ins Variadic<AnyRankedTensor>:$values);
  let constraints = ["C1: there are one or more values, of floating-point types and any shapes"];
}
