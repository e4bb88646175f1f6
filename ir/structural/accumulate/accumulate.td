// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_AccumulateOp : NotDifferentiable<"accumulate"> {
  let builderNamespace = "cutset::ops";
  let summary = "A sum with one more value, which replaces the sum in its memory: sum + value, element by "
                "element; sums of integers wrap around";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$sum, AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$new_sum);
  let updates = 1;
  let constraints = ["C1: sum and value have the same numeric type, which i1 is not, and the same shape"];
  let returns = "the shape and element type of the sum";
  let example = [{%new_sum = cutset.accumulate %sum, %value : tensor<64x500xf32>, tensor<64x500xf32>}];
}
