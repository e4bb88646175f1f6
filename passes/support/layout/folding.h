// SPDX-License-Identifier: Apache-2.0
// Constant folding: which ops the passes `shard`, `split` and `lower` replace by constants. The pass `place`
// also uses is_folded(), because an op that will be folded needs no kernel on its device.
#pragma once
#include "ir/dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Whether `fold` will replace the op, whatever the values of other ops are: all its operands are read only
// for their types, it has one result, and the result has at most 1 KiB and is not of type i1.
bool is_folded(ir::PlacedOpInterface op);

// Replaces the result of `op` by a constant if every operand is a constant or is read only for its type. The
// reference kernel of the op computes the constant. Otherwise the op stays.
void fold(ir::PlacedOpInterface op);

// Replaces each scalar that depends on shapes and constants alone, such as the number of samples by which a
// mean divides, by its value for the whole batch. If it were computed per shard, nothing that reads it could
// start before all shards are done.
void fold_scalars(mlir::func::FuncOp function);

}  // namespace cutset::passes
