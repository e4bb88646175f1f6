include "ir/dialect/base.td"

def Cutset_MatmulOp : Compute<"matmul"> {
  let summary = "product of two matrices, or of two broadcast stacks of them";
  let inputs = (ins AnyRankedTensor:$x, AnyRankedTensor:$y);
  let attributes = (ins DefaultValuedAttr<BoolAttr, "false">:$transpose_x, DefaultValuedAttr<BoolAttr, "false">:$transpose_y);
  let constraints = ["C1: both have rank 2 or more and one floating-point type", "C2: the inner sizes agree",
                     "C3: the leading sizes broadcast by the rules of NumPy",
                     "C4: the number of products fits 64 bits"];
  let example = [{%z = cutset.matmul %x, %w <{transpose_y = true}> : tensor<64x800xf32>, tensor<500x800xf32>}];
}
