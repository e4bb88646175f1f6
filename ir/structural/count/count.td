include "ir/dialect/base.td"

def Cutset_CountOp : NotDifferentiable<"count"> {
  let summary = "how many elements a reduction over `axes` adds up, as a scalar; over a sharded axis the sum of the parts";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes);
  let constraints = ["C1: `like` is of a floating-point type", "C2: axes are distinct dimensions of it, none means all"];
}
