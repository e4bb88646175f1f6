// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

// How an update is joined with the element of data.
def ScatterReduction : Word<["none", "add", "mul", "max", "min"]>;

def Cutset_ScatterElementsOp : Compute<"scatter_elements"> {
  let summary = "Data, in which the element at the place of each index is replaced by the update, or joined "
                "with it by `reduction`, except that along `axis` the index says the place (ONNX "
                "ScatterElements); updates are applied in the order of the indices, so the last of several "
                "replacements stays; a negative index counts from the end; an index that is out of range "
                "sets all elements of its line along `axis` to NaN, or the lowest value of a signed integer "
                "type, the largest value of an unsigned one, and false; NaN is the maximum and the minimum; "
                "integers wrap around; elements that tie for a maximum or minimum share the gradient equally";
  let inputs = (ins AnyRankedTensor:$data, AnyRankedTensor:$indices, AnyRankedTensor:$updates);
  let attributes = (ins DefaultValuedAttr<I64Attr, "0">:$axis,
                        DefaultValuedStrAttr<ScatterReduction, "none">:$reduction);
  let constraints = ["C1: the indices have type i32 or i64",
                     "C2: `axis` is a dimension of data; a negative axis counts from the end",
                     "C3: the indices have the rank of data, and are not larger along any dimension but "
                     "`axis`",
                     "C4: the updates have the shape of the indices and the element type of data",
                     "C5: `add` and `mul` need a numeric type, which i1 is not"];
  let returns = "the shape and element type of data";
  let example = [{%y = cutset.scatter_elements %x, %ids, %u <{axis = 1 : i64, reduction = "add"}>
                  : tensor<64x10xf32>, tensor<64x3xi64>, tensor<64x3xf32>}];
}
