// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_SplitWithSizesOp : Compute<"split_with_sizes"> {
  let byPosition = ["sizes", "axis = 0"];
  let summary = "Consecutive slices of x along `axis`: the first sizes[0] rows, the next sizes[1] rows, and "
                "so on";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let results = (outs Variadic<AnyRankedTensor>:$slices);
  let attributes = (ins I64Attr:$axis, DenseI64ArrayAttr:$sizes);
  let constraints = ["C1: `axis` is a dimension of x; a negative axis counts from the end",
                     "C2: there are 1 to 65536 sizes, which are 0 or more and add up to the size of `axis`"];
  let returns = "one tensor per size, with the shape of x but this size along `axis`, and the element type "
                "of x";
  let example = [{%a, %b = cutset.split_with_sizes %x <{axis = 1 : i64, sizes = array<i64: 16, 32>}> : tensor<64x48xf32>}];
}
