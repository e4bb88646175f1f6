include "ir/dialect/base.td"

class Reduction<string name> : Compute<name> {
  let family = "reduction";
  let shardingRule = name;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axes,
                        DefaultValuedAttr<BoolAttr, "false">:$keepdims);
  let constraints = ["C1: x has a floating-point type",
                     "C2: the axes are distinct dimensions of x; a negative axis counts from the end, and no axes mean "
                     "all dimensions"];
  let returns = "the shape of x without the reduced dimensions, or with size 1 in their place if `keepdims` is set; "
                "the element type of x";
  let example = "%y = cutset." # name # " %x <{axes = array<i64: 0>}> : tensor<64x500xf32>";
}
def Cutset_ReduceSumOp : Reduction<"reduce_sum"> {
  let summary = "Sum of the elements along `axes`; 0 if there are no elements; each device adds them in a fixed order";
}
def Cutset_ReduceMaxOp : Reduction<"reduce_max"> {
  let summary = "Maximum of the elements along `axes`; NaN if an element is NaN, -infinity if there are no elements; "
                "elements that tie share the gradient equally";
}
