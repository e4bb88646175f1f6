// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_SoftCapOp : Compute<"soft_cap"> {
  let summary = "Each element of x pressed into the range from -limit to limit: limit * tanh(x / limit); "
                "NaN stays NaN";
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins F64Attr:$limit);
  let constraints = ["C1: x has a floating-point type of at least 32 bits",
                     "C2: `limit` is a positive finite number"];
  let returns = "the shape and element type of x";
  let example = "%y = cutset.soft_cap %x <{limit = 3.0e+01 : f64}> : tensor<4x3xf32>";
}
