include "ir/dialect/base.td"

def Cutset_ArgmaxOp : NotDifferentiable<"argmax"> {
  let summary = "index (i64) of the first largest value along an axis, which goes; a NaN counts as largest";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis);
  let constraints = ["C1: the axis is a dimension of x, negative ones from the end, and not of size 0"];
}
