// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_MatmulOp : Compute<"matmul", [DeclareOpInterfaceMethods<FusableOpInterface>]> {
  let summary = "Matrix product of x and y over their last two dimensions, which can be transposed first; "
                "the leading dimensions are a batch of matrices";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$transpose_x,
                        DefaultValuedAttr<BoolAttr, "false">:$transpose_y);
  let constraints = ["C1: x and y have rank 2 or more and the same floating-point type",
                     "C2: x has as many columns as y has rows, after transposition",
                     "C3: the leading sizes broadcast by the rules of NumPy",
                     "C4: the number of matrix products is below 2^63"];
  let returns = "the broadcast leading sizes, the rows of x and the columns of y; the element type of x";
  let example = [{%z = cutset.matmul %x, %w <{transpose_y = true}> : tensor<64x800xf32>, tensor<500x800xf32>}];
}
