// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_SumToSizeOp : NotDifferentiable<"sum_to_size"> {
  let builderNamespace = "cutset::ops";
  let summary = "Sum of x over the dimensions along which `like` broadcasts to the shape of x: the gradient "
                "of that broadcast";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$like);
  let constraints = ["C1: x and `like` have the same floating-point type",
                     "C2: the shape of `like` broadcasts to the shape of x"];
  let returns = "the shape and element type of `like`";
  let example = [{%y = cutset.sum_to_size %x, %like : tensor<64x500xf32>, tensor<500xf32>}];
}
