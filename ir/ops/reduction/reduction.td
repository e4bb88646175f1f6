include "ir/dialect/base.td"

class Reduction<string name> : Compute<name> {
  let family = "reduction";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes, DefaultValuedAttr<BoolAttr, "false">:$keep_dims);
  let constraints = ["C1: x is of a floating-point type", "C2: axes are distinct dimensions of x, negative ones from the end; none means all"];
}
def Cutset_ReduceSumOp : Reduction<"reduce_sum"> { let summary = "sum over axes"; }
def Cutset_ReduceMaxOp : Reduction<"reduce_max"> { let summary = "largest value over axes; NaN if one is; ties share the gradient"; let sums = 0; }
