include "ir/dialect/base.td"

def Cutset_FillOp : NotDifferentiable<"fill"> {
  let summary = "one value everywhere, of the shape and type of another tensor; as \"cast\" converts it";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$like);
  let attributes = (ins F64Attr:$value);
}
