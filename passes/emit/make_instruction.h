// Makes instructions of a program.
#pragma once
#include "mlir/IR/Operation.h"
#include "runtime/program/program.h"

namespace cutset::passes {

// Returns an instruction that names the op, the layer and the source line of `op`.
Instruction make_instruction(Command command, mlir::Operation* op);

}  // namespace cutset::passes
