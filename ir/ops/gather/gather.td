// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_GatherOp : Compute<"gather"> {
  let ofCompiler = ["first_row", "table_rows"];
  let summary = "Elements of data at `indices` along `axis`, such as the rows of an embedding table; a "
                "negative index counts from the end; an index that is out of range gives NaN, or the lowest "
                "value of a signed integer type, the largest value of an unsigned one, and false; 0 for the "
                "rows of `table_rows` that data does not have";
  let inputs = (ins AnyRankedTensor:$data, AnyRankedTensor:$indices);
  let attributes = (ins DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<I64Attr, "0">:$first_row,
                        DefaultValuedAttr<I64Attr, "0">:$table_rows);
  let constraints = ["C1: the indices have type i32 or i64",
                     "C2: `axis` is a dimension of data; a negative axis counts from the end",
                     "C3: if `table_rows` is not 0, data is the rows of a larger table that begin at row "
                     "`first_row`, and they lie in the table of `table_rows` rows; if `table_rows` is 0, "
                     "`first_row` is 0"];
  let returns = "the shape of data with the dimension `axis` replaced by the shape of the indices; the "
                "element type of data";
  let example = [{%y = cutset.gather %table, %ids : tensor<1000x64xf32>, tensor<8x16xi32>}];
}
def Cutset_GatherBackwardOp : NotDifferentiable<"gather_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of gather for data, which has the type of `like`: each element is the sum of the "
                "gradients of the elements gathered from it, added in the order of the indices; indices of "
                "rows that `like` does not have are ignored";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$indices, AnyRankedTensor:$like);
  let attributes = (ins DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<I64Attr, "0">:$first_row,
                        DefaultValuedAttr<I64Attr, "0">:$table_rows);
  let constraints = ["C1 to C3: as for gather, with `like` as data",
                     "C4: the gradient has the shape and element type of the result of gather",
                     "C5: `like` has a floating-point type"];
  let returns = "the shape and element type of `like`";
  let example = [{%d = cutset.gather_backward %g, %ids, %table
                  : tensor<8x16x64xf32>, tensor<8x16xi32>, tensor<1000x64xf32>}];
}
