// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_AddNOp : Compute<"add_n"> {
  let builderNamespace = "cutset::ops";
  let summary = "Sum of the values, added from the first to the last; sums of integers wrap around";
  let structural = 1;
  let inputs = (ins Variadic<AnyRankedTensor>:$values);
  let constraints = ["C1: there are one or more values, and all have the same numeric type, which i1 is "
                     "not, and the same shape"];
  let returns = "the shape and element type of the values";
  let example = [{%sum = cutset.add_n %x, %y, %z : tensor<64x500xf32>, tensor<64x500xf32>, tensor<64x500xf32>}];
}
