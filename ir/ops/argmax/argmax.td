// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

class IndexAlong<string name> : NotDifferentiable<name> {
  let builderNamespace = "cutset::ops";  // the functions with `keepdims` are written by hand
  let family = "argmax";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<BoolAttr,
                        "false">:$select_last_index);
  let constraints = ["C1: `axis` is a dimension of x whose size is not 0; a negative axis counts from the "
                     "end"];
  let returns = "the shape of x without the dimension `axis`; element type i64";
  let example = "%y = cutset." # name # " %x <{axis = 1 : i64}> : tensor<64x10xf32>";
}
def Cutset_ArgmaxOp : IndexAlong<"argmax"> {
  let summary = "Index of the maximum along `axis`; the first index if several elements are equal, or the "
                "last one if `select_last_index` is set; NaN counts as the maximum";
}
def Cutset_ArgminOp : IndexAlong<"argmin"> {
  let summary = "Index of the minimum along `axis`; the first index if several elements are equal, or the "
                "last one if `select_last_index` is set; NaN counts as the minimum";
}
