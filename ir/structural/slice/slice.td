// SPDX-License-Identifier: Apache-2.0
include "ir/dialect/base.td"

def Cutset_SliceOp : Compute<"slice"> {
  let builderNamespace = "cutset::ops";
  let ofCompiler = ["rows_per_sample"];
  let summary = "Rows `start` to `start + length - 1` of x along `axis`; a length of -1 means all rows from "
                "`start` on. `rows_per_sample` is set by the compiler where micro-batches share the op, and "
                "0 otherwise: for a micro-batch that begins n samples after the first one, the rows begin "
                "at `start` + n * `rows_per_sample`";
  let structural = 1;
  let converts_halves = 1;
  let inputs = (ins AnyRankedTensor:$x);
  let attributes = (ins I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$start,
                        DefaultValuedAttr<I64Attr, "-1">:$length, DefaultValuedAttr<I64Attr,
                                          "0">:$rows_per_sample);
  let constraints = ["C1: `axis` is a dimension of x; a negative axis counts from the end",
                     "C2: start is 0 or more, length is -1 or more, and start + length is at most the size "
                     "of `axis`",
                     "C3: rows_per_sample is not negative"];
  let returns = "the shape of x with `length` rows along `axis`; the element type of x";
  let example = [{%y = cutset.slice %x <{axis = 1 : i64, length = 16 : i64, start = 32 : i64}> : tensor<64x48xf32>}];
}
