include "ir/dialect/base.td"

def Cutset_TransposeOp : Compute<"transpose"> {
  let summary = "dimension i of the result is dimension permutation[i] of x";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$permutation);
  let constraints = ["C1: the permutation names each dimension of x once"];
}
