// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_ClipOp : Compute<"clip", [AttrSizedOperandSegments]> {
  let numbersFrom = 0;
  let summary = "Each element of x, or `minimum` if it is smaller, or `maximum` if the result of this is "
                "larger; NaN in x or in a bound stays NaN";
  let inputs = (ins AnyRankedTensor:$x, Optional<AnyRankedTensor>:$minimum,
                    Optional<AnyRankedTensor>:$maximum);
  let constraints = ["C1: x is not i1", "C2: minimum and maximum are scalars of the element type of x"];
  let returns = "the shape and element type of x";
  let assemblyFormat = [{
    $x prop-dict custom<Placement>($placement) attr-dict `:` type($x)
    (`minimum` $minimum^ `:` type($minimum))? (`maximum` $maximum^ `:` type($maximum))?
  }];
  let example = [{%y = cutset.clip %x : tensor<4x3xf32> maximum %high : tensor<f32>}];
}
