include "ir/dialect/base.td"

def Cutset_OneHotOp : NotDifferentiable<"one_hot"> {
  let summary = "1 at the place that the label names in a new last dimension of size depth, 0 elsewhere; all 0 where the label is outside";
  let inputs = (ins AnyRankedTensor:$labels);
  let attributes = (ins I64Attr:$depth, TypeAttr:$dtype);
  let constraints = ["C1: labels are of type i32 or i64", "C2: depth is positive", "C3: dtype, the type of the result, is a floating-point type"];
}
