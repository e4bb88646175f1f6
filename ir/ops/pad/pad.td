// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

// The values of the rows that are added.
def PadMode : Word<["constant", "edge", "reflect"]>;

def Cutset_PadOp : Compute<"pad"> {
  let builderNamespace = "cutset::ops";  // the public function is written by hand
  let summary = "Padding: `before` rows before x and `after` rows after it along `axis`. The mode "
                "`constant` makes rows of zeros, `edge` copies of the first and last row, and `reflect` the "
                "rows of x mirrored at its first and last row";
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$before, DefaultValuedAttr<I64Attr,
                        "0">:$after,
                        DefaultValuedStrAttr<PadMode, "constant">:$mode);
  let constraints = ["C1: `axis` is a dimension of x; a negative axis counts from the end",
                     "C2: before and after are from 0 to 2^48",
                     "C3: x has a row if `edge` makes rows, and more rows than before and than after if "
                     "`reflect` does"];
  let returns = "the shape of x with before + after more rows along `axis`; the element type of x";
  let example = [{%y = cutset.pad %x <{after = 2 : i64, axis = 3 : i64, before = 2 : i64, mode = "reflect"}> : tensor<64x1x28x28xf32>}];
}
def Cutset_PadBackwardOp : Compute<"pad_backward"> {
  let builderNamespace = "cutset::ops";
  let summary = "Gradient of pad for its operand in the modes `edge` and `reflect`: each row of the result "
                "is the sum of the rows of the gradient that stem from it";
  let inputs = (ins AnyRankedTensor:$gradient);
  let attributes = (ins I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$before, DefaultValuedAttr<I64Attr,
                        "0">:$after,
                        PadMode:$mode);
  let constraints = ["C1, C2, C3: as the constraints of pad, for the result as x",
                     "C4: the gradient has a floating-point type and at least before + after rows",
                     "C5: the mode is not `constant`, whose gradient is a slice"];
  let returns = "the shape of the gradient with before + after fewer rows along `axis`; its element type";
  let example = [{%y = cutset.pad_backward %g <{axis = 0 : i64, before = 2 : i64, mode = "edge"}> : tensor<6x3xf32>}];
}
