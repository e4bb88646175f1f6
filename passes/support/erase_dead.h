// Erases the ops of a block that nobody reads and that have no effect, last first.
#pragma once
#include "mlir/IR/Block.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cutset::passes {

inline void erase_dead(mlir::Block& block) {
  llvm::SmallVector<mlir::Operation*> ops;
  for (mlir::Operation& op : block.without_terminator()) ops.push_back(&op);
  for (mlir::Operation* op : llvm::reverse(ops))
    if (mlir::isOpTriviallyDead(op)) op->erase();
}

}  // namespace cutset::passes
