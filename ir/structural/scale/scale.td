// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_ScaleOp : Compute<"scale"> {
  let builderNamespace = "cutset::ops";
  let summary = "Product of each element of x and the constant `factor`, which is first rounded to the "
                "element type of x";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins F64Attr:$factor);
  let constraints = ["C1: x has a floating-point type"];
  let returns = "the shape and element type of x";
  let example = [{%y = cutset.scale %x <{factor = 0.5}> : tensor<64x500xf32>}];
}
