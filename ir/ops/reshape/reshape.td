include "ir/dialect/base.td"

def Cutset_ReshapeOp : Compute<"reshape"> {
  let summary = "the same elements under another shape; 0 keeps a size, one -1 is inferred (as in ONNX)";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$shape);
  let view = 1;
  let constraints = ["C1: sizes are -1, 0 or positive, at most one is -1, and 0 stands where x has a dimension",
                     "C2: the number of elements stays"];
}
def Cutset_ReshapeLikeOp : Compute<"reshape_like"> {
  let summary = "the same elements under the shape of another tensor";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$like);
  let view = 1;
  let constraints = ["C1: both have the same number of elements"];
}
