// Makes instructions of a program.
#pragma once
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Operation.h"
#include "runtime/program/program.h"

namespace cutset::passes {

class InstructionMaker {
 public:
  // Returns an instruction that names the op, the layer and the source line of `op`.
  Instruction make(Command command, mlir::Operation* op);

 private:
  // By the location and the name of an op. The calls of a function share one location.
  llvm::DenseMap<std::pair<const void*, const void*>, SharedNames> names_;
};

}  // namespace cutset::passes
