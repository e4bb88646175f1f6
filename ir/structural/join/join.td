include "ir/dialect/base.td"

def Cutset_JoinOp : NotDifferentiable<"join"> {
  let summary = "tensors one behind the other along `axis`: the whole of what `part` took apart";
  let structural = 1;
  let inputs = (ins Variadic<AnyRankedTensor>:$parts);
  let attributes = (ins I64Attr:$axis);
  let constraints = ["C1: there is a part, and axis is a dimension of it", "C2: the parts differ in their size along axis alone"];
}
