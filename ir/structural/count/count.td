// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_CountOp : NotDifferentiable<"count"> {
  let builderNamespace = "cutset::ops";
  let summary = "Number of elements that a reduction of `like` along `axes` combines; if an axis is "
                "sharded, the counts of the shards add up to this number";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes);
  let constraints = ["C1: `like` has a floating-point type",
                     "C2: the axes are distinct dimensions of `like`; a negative axis counts from the end, "
                     "and no axes mean all dimensions"];
  let returns = "a scalar with the element type of `like`";
  let example = [{%n = cutset.count %like <{axes = array<i64: 0>}> : tensor<64x10xf32>}];
}
