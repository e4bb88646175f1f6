// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_OneHotOp : NotDifferentiable<"one_hot"> {
  let byPosition = ["depth", "dtype = DType::f32"];
  let summary = "One-hot encoding of the labels along a new last dimension: 1 at the index of the label, 0 "
                "elsewhere; only zeros if the label is not from 0 to depth - 1";
  let inputs = (ins AnyRankedTensor:$labels);
  let attributes = (ins I64Attr:$depth, TypeAttr:$dtype);
  let constraints = ["C1: the labels have type i32 or i64",
                     "C2: depth is positive", "C3: dtype is a floating-point type"];
  let returns = "the shape of the labels with a new last dimension of size `depth`; element type `dtype`";
  let example = [{%y = cutset.one_hot %labels <{depth = 10 : i64, dtype = f32}> : tensor<64xi32>}];
}
