include "ir/dialect/base.td"

def Cutset_ExpandOp : Compute<"expand"> {
  let summary = "x broadcast to the shape of another tensor, after a dimension of size 1 is put in at each of `axes`";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes);
  let constraints = ["C1: axes are distinct dimensions of `like`, and with them x has its rank or less",
                     "C2: x with them broadcasts to the shape of `like`"];
}
