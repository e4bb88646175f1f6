include "ir/dialect/base.td"

def Cutset_ConcatOp : Compute<"concat"> {
  let summary = "tensors one behind the other along `axis`";
  let structural = 1;
  let inputs = (ins Variadic<AnyRankedTensor>:$parts);
  let attributes = (ins I64Attr:$axis);
  let constraints = ["C1: there is a part, and axis is a dimension of it, negative ones from the end",
                     "C2: the parts differ in their size along axis alone"];
  let example = [{%z = cutset.concat %x, %y <{axis = 1 : i64}> : tensor<64x3xf32>, tensor<64x5xf32>}];
}
