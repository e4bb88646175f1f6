// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_FusedMatmulOp : NotDifferentiable<"fused_matmul",
                                             [DeclareOpInterfaceMethods<FusableOpInterface>]> {
  let builderNamespace = "cutset::ops";
  let summary = "Matrix product of x and y as `matmul` computes it, plus a bias per column, and then `relu` "
                "if it is requested; NaN stays NaN";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y, AnyRankedTensor:$bias);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$transpose_x,
                        DefaultValuedAttr<BoolAttr, "false">:$transpose_y,
                        DefaultValuedAttr<BoolAttr, "false">:$relu);
  let constraints = ["C1: x and y have rank 2 or more and the same floating-point type",
                     "C2: x has as many columns as y has rows, after transposition",
                     "C3: the leading sizes broadcast by the rules of NumPy",
                     "C4: the number of matrix products is below 2^63",
                     "C5: the bias has one element per column of the product and the element type of x"];
  let returns = "the shape of the product; the element type of x";
  let example = [{%z = cutset.fused_matmul %x, %w, %b <{relu = true, transpose_y = true}>
                  : tensor<64x800xf32>, tensor<500x800xf32>, tensor<500xf32>}];
}
