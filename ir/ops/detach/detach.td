// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_DetachOp : Compute<"detach"> {
  let summary = "View of x that passes no gradient to x; with `unless`, it passes the gradient of the "
                "elements for which `unless` is true, and 0 for the others, also where their gradient is NaN";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x, Optional<AnyRankedTensor>:$unless);
  let view = 1;
  let constraints = ["C1: unless is i1", "C2: unless broadcasts to the shape of x"];
  let returns = "the shape and element type of x";
  let example = [{%y = cutset.detach %x, %reached : tensor<64x10xf32>, tensor<i1>}];
}
