// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_TriluOp : Compute<"trilu"> {
  let builderNamespace = "cutset::ops";  // the public function is written by hand
  let summary = "Triangle of the matrices in the last two dimensions of x, and 0 elsewhere: the elements on "
                "and above the diagonal if `upper` is set, and otherwise those on and below it; `diagonal` "
                "is 0 for the main diagonal, positive for one above it and negative for one below it";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "true">:$upper, DefaultValuedAttr<I64Attr,
                        "0">:$diagonal);
  let constraints = ["C1: x has two dimensions or more"];
  let returns = "the shape and element type of x";
  let example = [{%y = cutset.trilu %x <{diagonal = 1 : i64}> : tensor<8x128x128xf32>}];
}
