include "ir/dialect/base.td"

def Cutset_ArgmaxOp : NotDifferentiable<"argmax"> {
  let summary = "Index of the maximum along `axis`; the first index if several elements are equal; NaN counts as the "
                "maximum";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins DefaultValuedAttr<I64Attr, "-1">:$axis);
  let constraints = ["C1: `axis` is a dimension of x whose size is not 0; a negative axis counts from the end"];
  let returns = "the shape of x without the dimension `axis`; element type i64";
  let example = [{%y = cutset.argmax %x <{axis = 1 : i64}> : tensor<64x10xf32>}];
}
