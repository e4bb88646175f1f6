// New ids for ops that passes make.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// An id that no op of the module has, and that no op of the graph had which the module was cut from: the larger of what
// kNextId keeps and of one more than the highest id here. It walks the whole module.
int64_t next_id(mlir::ModuleOp module);

}  // namespace cutset::passes
