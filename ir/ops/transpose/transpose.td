// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_TransposeOp : Compute<"transpose"> {
  let builderNamespace = "cutset::ops";  // the public function is written by hand
  let summary = "Permutation of the dimensions of x: dimension i of the result is dimension permutation[i] "
                "of x";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DenseI64ArrayAttr:$permutation);
  let constraints = ["C1: the permutation names each dimension of x exactly once"];
  let returns = "the permuted shape of x; the element type of x";
  let example = [{%y = cutset.transpose %x <{permutation = array<i64: 0, 2, 3, 1>}> : tensor<64x3x32x32xf32>}];
}
