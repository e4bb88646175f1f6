include "ir/dialect/base.td"

def Cutset_SumToOp : NotDifferentiable<"sum_to"> {
  let summary = "adjoint of broadcasting: x summed over the dimensions that its source was broadcast along";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$like);
  let constraints = ["C1: both have one floating-point type", "C2: the shape of `like` broadcasts to that of x"];
}
