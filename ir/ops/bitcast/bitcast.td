// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_BitcastOp : NotDifferentiable<"bitcast"> {
  let summary = "Elements of the type `dtype` with the bits of the elements of x, as std::bit_cast in C++; "
                "the bits of false and true "
                "are the bits of the u8 0 and 1";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins TypeAttr:$dtype);
  let constraints = ["C1: the elements of both types have the same number of bytes",
                     "C2: `dtype` is i1 only if x is, because other bytes than 0 and 1 are no truth values"];
  let returns = "the shape of x; element type `dtype`";
  let example = [{%y = cutset.bitcast %x <{dtype = i32}> : tensor<64xf32>}];
}
