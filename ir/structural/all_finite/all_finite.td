// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_AllFiniteOp : NotDifferentiable<"all_finite"> {
  let builderNamespace = "cutset::ops";
  let summary = "Whether all elements of all values are finite, that is, neither infinite nor NaN";
  let structural = 1;
  let inputs = (ins Variadic<AnyRankedTensor>:$values);
  let constraints = ["C1: there are one or more values, each with a floating-point type; their shapes may "
                     "differ"];
  let returns = "a scalar of type i1";
  let example = [{%flag = cutset.all_finite %a, %b : tensor<500x800xf32>, tensor<500xf32>}];
}
