// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_FullLikeOp : NotDifferentiable<"full_like"> {
  let builderNamespace = "cutset::ops";
  let summary = "Tensor of the type of `like` in which each element is `value`, converted from f64 by the "
                "rules of cast";
  let structural = 1;
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$like);
  let attributes = (ins F64Attr:$value);
  let returns = "the shape and element type of `like`";
  let example = [{%ones = cutset.full_like %like <{value = 1.0}> : tensor<64x500xf32>}];
}
