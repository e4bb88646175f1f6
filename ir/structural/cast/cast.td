// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_CastOp : Compute<"cast"> {
  let summary = "Conversion of the elements of x to the type `dtype`. From a floating-point type to an "
                "integer type, it rounds towards zero, replaces a value outside of the range by the nearest "
                "bound, and NaN by 0. To i1, it is x != 0. To a floating-point type, it rounds to the "
                "nearest number, ties to even. Between integer types, it wraps around";
  let structural = 1;
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins TypeAttr:$dtype);
  let returns = "the shape of x; element type `dtype`";
  let example = [{%y = cutset.cast %x <{dtype = i32}> : tensor<64xf32>}];
}
