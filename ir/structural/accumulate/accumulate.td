include "ir/dialect/base.td"

def Cutset_AccumulateOp : Compute<"accumulate"> {
  let summary = "sum of tensors of one type, in the order of the operands";
  let structural = 1;
  let inputs = (ins Variadic<AnyRankedTensor>:$values);
  let constraints = ["C1: there are one or more values, of one floating-point type and shape"];
}
