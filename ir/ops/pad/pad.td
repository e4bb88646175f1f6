include "ir/dialect/base.td"

def Cutset_PadOp : Compute<"pad"> {
  let summary = "Padding with zeros: `before` rows in front of x and `after` rows behind it along `axis`";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$before, DefaultValuedAttr<I64Attr, "0">:$after);
  let constraints = ["C1: `axis` is a dimension of x; a negative axis counts from the end",
                     "C2: before and after are from 0 to 2^48"];
  let returns = "the shape of x with before + after more rows along `axis`; the element type of x";
  let example = [{%y = cutset.pad %x <{after = 2 : i64, axis = 3 : i64, before = 2 : i64}> : tensor<64x1x28x28xf32>}];
}
