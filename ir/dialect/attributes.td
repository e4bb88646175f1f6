// SPDX-License-Identifier: Apache-2.0
// The attributes of the dialect that are not attributes of MLIR's builtin dialect.
#ifndef CUTSET_DIALECT_ATTRIBUTES_TD
#define CUTSET_DIALECT_ATTRIBUTES_TD
include "mlir/IR/AttrTypeBase.td"
include "ir/dialect/base.td"

def Cutset_OriginAttr : AttrDef<Cutset_Dialect, "Origin"> {
  let mnemonic = "origin";
  let summary = "The values of the one-device program that the results of an op stand for";
  let description = [{
    The first result of the op stands for value `value` of the one-device program, the second result for the
    value after it, and so on. They stand for no value if `value` is -1, as for slices of partial sums. Each
    result covers the shards from `first` up to, but not including, `last`. `layouts` has one entry per
    result: -1 means that the result is the whole value, -2 that it is a partial sum, and 0 or more that it
    has rows along that dimension. `factor` is the index of the factor of the op's sharding rule that was
    split to make the partial sum. It is -1 if the partial sum is a sum of other partial sums.

    If devices of a tensor axis or replicas share the computation of a shard, `pieces` has five numbers per
    result: the fields of Piece in ir/core/piece.h. It is empty if every result is whole along this axis.

        #cutset.origin<value 5, shards 0 to 1, rows 0>
        #cutset.origin<value 7, shards 2 to 4, partial 1, whole>
        #cutset.origin<value 9, shards 0 to 1, whole, piece [1, -1, 0, 2, 1]>
  }];
  let parameters = (ins "int64_t":$value, "int64_t":$first, "int64_t":$last, "int64_t":$factor,
                        ArrayRefParameter<"int64_t">:$layouts, ArrayRefParameter<"int64_t">:$pieces);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
#endif
