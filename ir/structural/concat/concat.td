// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_ConcatOp : Compute<"concat"> {
  let byPosition = ["axis = 0"];
  let summary = "Concatenation of the parts along `axis`, in their order";
  let structural = 1;
  let converts_halves = 1;
  let inputs = (ins Variadic<AnyRankedTensor>:$parts);
  let attributes = (ins I64Attr:$axis);
  let constraints = ["C1: there are one or more parts, and `axis` is a dimension of them; a negative axis "
                     "counts from the end",
                     "C2: the parts have the same element type, and the same shape except for the size of "
                     "`axis`"];
  let returns = "the shape of the first part with the sum of all sizes along `axis`; the element type of "
                "the parts";
  let example = [{%z = cutset.concat %x, %y <{axis = 1 : i64}> : tensor<64x3xf32>, tensor<64x5xf32>}];
}
