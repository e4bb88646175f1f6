// SPDX-License-Identifier: Apache-2.0
// Reads and writes origins. The origin of a value of the partitioned program is a value of the one-device
// program. The value equals its origin, or is a shard or a partial sum of its origin. Ops and arguments carry
// origins as the attribute `cutset.origin` (ir/dialect/attributes.td). Only `verify` uses them; the result of
// a compilation does not depend on them.
#pragma once
#include "ir/dialect/attributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/support/layout/layout.h"
#include "runtime/program/program.h"

namespace cutset::passes {

inline constexpr llvm::StringLiteral kOrigin = "cutset.origin";

// Numbers all values of a function, the arguments first and then the results in order, and sets their origins
// to themselves.
void number_values(mlir::func::FuncOp function);
// Returns the number of the first result of an op, or kNone if the op has no origin.
int64_t number_of(mlir::Operation* op);
// Makes the origin of the results of an op: the value `number` and the values that follow it, the shards
// [first, last), the factor of the sharding rule (-1: none), and one layout per result. `pieces` has one
// piece per result, or is empty if all results are whole along the tensor axis.
ir::OriginAttr origin_attribute(mlir::MLIRContext* context, int64_t number, int64_t first, int64_t last,
                                int factor, llvm::ArrayRef<Layout> results,
                                llvm::ArrayRef<Piece> pieces = {});
// Returns the pieces of the results of an op, or nothing if all are whole.
llvm::SmallVector<Piece> pieces_of(mlir::Attribute origin);
// Returns the origin of a result of an op, or an origin with the number kNone if there is none.
ValueOrigin origin_of(mlir::Operation* op, unsigned result = 0);
ValueOrigin origin_of(mlir::Attribute attribute, unsigned result);
// Returns the origin of one result alone, for an op that transfers this value; null if the result has no
// origin.
mlir::Attribute one_result(mlir::Attribute attribute, unsigned result);

// Returns the origin with its shards moved by `later`: the origin of the same value for a later shard.
// Returns null for null.
mlir::Attribute moved_origin(mlir::Attribute attribute, int64_t later);

// Gives a free id to each op without an id, and records the next free id in kNextId. Only ops that
// concatenate the rows of an input have no id. Ops with the same origin are the copies of one op in all
// replicas, and they get the same id.
void give_missing_ids(mlir::ModuleOp module);

}  // namespace cutset::passes
