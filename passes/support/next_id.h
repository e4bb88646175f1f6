// SPDX-License-Identifier: Apache-2.0
// Finds free ids for the ops that passes make.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Returns the first id after all used ids: the larger of the attribute kNextId and the highest id in the
// module plus one. The attribute also covers ops of the graph that are in no function of the module. The
// function walks the whole module.
int64_t next_id(mlir::ModuleOp module);

}  // namespace cutset::passes
