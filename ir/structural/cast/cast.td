include "ir/dialect/base.td"

def Cutset_CastOp : Compute<"cast"> {
  let summary = "the same values in another element type; towards zero to integers, i1 is 'not zero'";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins TypeAttr:$dtype);
}
