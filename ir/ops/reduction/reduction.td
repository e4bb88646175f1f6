// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

class AlongAxes<string name, string itsFamily> : Compute<name> {
  let builderNamespace = "cutset::ops";  // the public function is written by hand
  let family = itsFamily;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes,
                        DefaultValuedAttr<BoolAttr, "false">:$keepdims);
  let returns = "the shape of x without the reduced dimensions, or with size 1 in their place if `keepdims` "
                "is set; the element type of x";
  let example = "%y = cutset." # name # " %x <{axes = array<i64: 0>}> : tensor<64x500xf32>";
}
class Reduction<string name> : AlongAxes<name, "reduction"> {
  let shardingRule = name;
  let constraints = ["C1: x has a numeric type, which i1 is not",
                     "C2: the axes are distinct dimensions of x; a negative axis counts from the end, and "
                     "no axes mean all dimensions"];
}
class Extremum<string name> : AlongAxes<name, "extremum"> {
  let constraints = ["C2: the axes are distinct dimensions of x; a negative axis counts from the end, and "
                     "no axes mean all dimensions"];
}
def Cutset_ReduceSumOp : Reduction<"reduce_sum"> {
  let summary = "Sum of the elements along `axes`; 0 if there are no elements; each device adds them in a "
                "fixed order; a sum of integers wraps around";
}
def Cutset_ReduceProdOp : Reduction<"reduce_prod"> {
  let summary = "Product of the elements along `axes`; 1 if there are no elements; each device multiplies "
                "them in a fixed order; a product of integers wraps around; the gradient of an element is "
                "the product of the others, even if elements are 0";
}
def Cutset_ReduceMaxOp : Extremum<"reduce_max"> {
  let summary = "Maximum of the elements along `axes`, where true is larger than false; NaN if an element "
                "is NaN; the lowest value of the type, such as -infinity or false, if there are no "
                "elements; elements that tie share the gradient equally";
}
def Cutset_ReduceMinOp : Extremum<"reduce_min"> {
  let summary = "Minimum of the elements along `axes`, where false is smaller than true; NaN if an element "
                "is NaN; the largest value of the type, such as infinity or true, if there are no elements; "
                "elements that tie share the gradient equally";
}
