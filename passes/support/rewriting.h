// SPDX-License-Identifier: Apache-2.0
// Functions that several passes use to rewrite functions.
#pragma once
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace cutset::passes {

// Erases the ops of a block whose results are not used and that have no side effect, from the last to the
// first. The terminator stays.
void erase_dead(mlir::Block& block);

// Infers the types of the results of an op again from its operands and attributes. Fails, with a diagnostic
// at the op, if the operands no longer fit the op.
mlir::LogicalResult infer_again(mlir::InferTypeOpInterface op);

// Fails, with a diagnostic at the op, if the user pinned an op to one device although it gets `copies` copies
// on several devices.
mlir::LogicalResult refuse_pins(mlir::ModuleOp module, int64_t copies);

}  // namespace cutset::passes
