// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_ReshapeOp : Compute<"reshape"> {
  let summary = "View of the elements of x, in their order, under another shape; a size of 0 keeps the size "
                "of x at that index, and one size of -1 is inferred (as in ONNX)";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$shape);
  let view = 1;
  let constraints = ["C1: each size is -1, 0 or positive; at most one size is -1, and a size is 0 only at "
                     "an index below the rank of x",
                     "C2: the number of elements does not change"];
  let returns = "the shape `shape`; the element type of x";
  let example = [{%y = cutset.reshape %x <{shape = array<i64: 0, -1>}> : tensor<64x50x4x4xf32>}];
}
def Cutset_ReshapeLikeOp : Compute<"reshape_like"> {
  let builderNamespace = "cutset::ops";
  let summary = "View of the elements of x, in their order, under the shape of `like`";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$like);
  let view = 1;
  let constraints = ["C1: x and `like` have the same number of elements"];
  let returns = "the shape of `like`; the element type of x";
  let example = [{%y = cutset.reshape_like %x, %like : tensor<64x800xf32>, tensor<64x50x4x4xf32>}];
}
