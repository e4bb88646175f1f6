// SPDX-License-Identifier: Apache-2.0
// Notes of a compilation: facts about a placed module that cost time or memory, and that its user may not
// expect.
#pragma once
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Returns the notes of a placed module, each a text in one line:
// - an op cannot be divided along the batch, so that each replica computes this op, and ops that depend on
//   it, for the whole batch;
// - in a pipeline, the micro-batches wait for each other because their ops need sums over all of them;
// - a replica has fewer samples than `requested`, and so fewer micro-batches than the strategy asks for;
// - a device has no op, because `model` estimates that the busiest device would work longer otherwise.
// Each fact is reported once, for the first function that has it, and there are few notes of a kind.
// Complexity: O(ops + operands).
//
// `requested` is the number of micro-batches of a replica that the strategy names.
std::vector<std::string> notes(mlir::ModuleOp module, int64_t requested);

}  // namespace cutset::passes
