// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_GatherElementsOp : Compute<"gather_elements"> {
  let summary = "Element of data at the place of each index, except along `axis`, where the index says the "
                "place (torch.gather, ONNX GatherElements); a negative index counts from the end; an index "
                "that is out of range gives NaN, or the lowest value of a signed integer type, the largest "
                "value of an unsigned one, and false";
  let inputs = (ins AnyRankedTensor:$data, AnyRankedTensor:$indices);
  let attributes = (ins DefaultValuedAttr<I64Attr, "0">:$axis);
  let constraints = ["C1: the indices have type i32 or i64",
                     "C2: `axis` is a dimension of data; a negative axis counts from the end",
                     "C3: the indices have the rank of data, and are not larger along any dimension but "
                     "`axis`"];
  let returns = "the shape of the indices; the element type of data";
  let example = [{%y = cutset.gather_elements %x, %ids <{axis = 1 : i64}> : tensor<64x10xf32>, tensor<64x3xi64>}];
}
