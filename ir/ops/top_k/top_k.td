// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_TopKOp : Compute<"top_k"> {
  let summary = "The `k` largest elements along `axis`, or the smallest ones unless `largest` is set, and "
                "their indices; the elements are sorted, the largest or smallest first; among equal "
                "elements the one with the lower index comes first; NaN counts as the largest number, also "
                "among the smallest";
  let inputs = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$values, AnyRankedTensor:$indices);
  let attributes = (ins I64Attr:$k, DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<BoolAttr,
                        "true">:$largest);
  let constraints = ["C1: `axis` is a dimension of x; a negative axis counts from the end",
                     "C2: `k` is from 0 to the size of `axis`"];
  let returns = "both have the shape of x with size `k` along `axis`; the values have the element type of "
                "x, and the indices i64";
  let example = [{%v, %i = cutset.top_k %x <{axis = 1 : i64, k = 5 : i64}> : tensor<64x1000xf32>}];
}
