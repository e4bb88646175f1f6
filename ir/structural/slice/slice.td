include "ir/dialect/base.td"

def Cutset_SliceOp : Compute<"slice"> {
  let summary = "`length` rows of x along `axis` from `start` on, or all from `start` on where length is -1";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$start, DefaultValuedAttr<I64Attr, "-1">:$length);
  let constraints = ["C1: axis is a dimension of x, negative ones from the end",
                     "C2: start is not negative, length is not below -1, and start + length lies within the dimension"];
  let example = [{%y = cutset.slice %x <{axis = 1 : i64, length = 16 : i64, start = 32 : i64}> : tensor<64x48xf32>}];
}
