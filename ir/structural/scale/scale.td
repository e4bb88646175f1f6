include "ir/dialect/base.td"

def Cutset_ScaleOp : Compute<"scale"> {
  let summary = "x times a number that is part of the program";
  let structural = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins F64Attr:$factor);
  let constraints = ["C1: x is of a floating-point type"];
}
