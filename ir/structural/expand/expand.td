// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_ExpandOp : Compute<"expand"> {
  let builderNamespace = "cutset::ops";
  let summary = "Broadcast of x to the shape of `like`, after dimensions of size 1 are inserted into x so "
                "that they have the indices `axes`";
  let structural = 1;
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes);
  let constraints = ["C1: the axes are distinct dimensions of `like`, not negative, and x with the inserted "
                     "dimensions has at most the rank of `like`",
                     "C2: x with the inserted dimensions broadcasts to the shape of `like` by the rules of "
                     "NumPy"];
  let returns = "the shape of `like`; the element type of x";
  let example = [{%y = cutset.expand %x, %like <{axes = array<i64: 0>}> : tensor<500xf32>, tensor<64x500xf32>}];
}
