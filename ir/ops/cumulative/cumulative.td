// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

class Cumulative<string name> : Compute<name> {
  let byPosition = ["axis", "reverse", "exclusive"];
  let family = "cumulative";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<BoolAttr,
                        "false">:$exclusive,
                        DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let constraints = ["C1: x has a numeric type, which i1 is not",
                     "C2: `axis` is a dimension of x; a negative axis counts from the end"];
  let returns = "the shape and element type of x";
  let example = "%y = cutset." # name # " %x <{axis = 1 : i64}> : tensor<64x10xf32>";
}
def Cutset_CumsumOp : Cumulative<"cumsum"> {
  let summary = "Sums of the elements from the first one to each element along `axis`, or from the last one "
                "back to it if `reverse` is set, without the element itself if `exclusive` is set; the "
                "elements are added in this order; sums of integers wrap around";
}
def Cutset_CumprodOp : Cumulative<"cumprod"> {
  let summary = "Products of the elements from the first one to each element along `axis`, or from the last "
                "one back to it if `reverse` is set, without the element itself if `exclusive` is set; the "
                "elements are multiplied in this order; products of integers wrap around";
}
def Cutset_CumprodBackwardOp : NotDifferentiable<"cumprod_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of cumprod for its operand x: the gradient of each element is the sum over the "
                "products that contain it, each without the element and times the gradient of the product; "
                "no element divides, so elements may be 0";
  let inputs = (ins AnyRankedTensor:$gradient, AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<BoolAttr,
                        "false">:$exclusive,
                        DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let constraints = ["C1: x has a floating-point type",
                     "C2: `axis` is a dimension of x; a negative axis counts from the end",
                     "C3: the gradient has the shape and element type of x"];
  let returns = "the shape and element type of x";
  let example = [{%d = cutset.cumprod_backward %g, %x <{axis = 1 : i64}> : tensor<64x10xf32>, tensor<64x10xf32>}];
}
