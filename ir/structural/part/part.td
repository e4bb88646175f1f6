include "ir/dialect/base.td"

def Cutset_PartOp : NotDifferentiable<"part"> {
  let summary = "`rows` rows along `axis` from `start` on: what one replica, shard or micro-batch has of a tensor";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins I64Attr:$axis, I64Attr:$start, I64Attr:$rows);
  let constraints = ["C1: axis is a dimension of x", "C2: start and start + rows lie within it"];
}
