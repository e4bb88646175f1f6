include "ir/dialect/base.td"

def Cutset_PadOp : Compute<"pad"> {
  let summary = "x with `before` rows of zeros in front and `after` rows of zeros behind along `axis`";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$before, DefaultValuedAttr<I64Attr, "0">:$after);
  let constraints = ["C1: axis is a dimension of x, negative ones from the end", "C2: before and after are not negative, and at most 2^48"];
  let example = [{%y = cutset.pad %x <{after = 2 : i64, axis = 3 : i64, before = 2 : i64}> : tensor<64x1x28x28xf32>}];
}
