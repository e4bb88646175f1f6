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
  struct Names {
    std::string layer, source;
  };
  llvm::DenseMap<mlir::Location, Names> names_;  // of the locations so far; the calls of a function share one
};

}  // namespace cutset::passes
