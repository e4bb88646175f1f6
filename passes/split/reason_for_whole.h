// SPDX-License-Identifier: Apache-2.0
// Says why an op that reads rows of the batch is computed whole.
#pragma once
#include <string>

#include "passes/support/layout/layout.h"

namespace cutset::passes {

// Returns the reason why `op`, which layout_of does not split, ends the split of the batch: the first operand
// with rows that the op needs, and the part of the sharding rule that is missing or does not fit. `have` has
// the layouts of the operands. Empty if no operand has rows.
std::string reason_for_whole(mlir::Operation* op, llvm::ArrayRef<Layout> have, const BatchUnits& batch);

}  // namespace cutset::passes
