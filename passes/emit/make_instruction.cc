#include "passes/emit/make_instruction.h"

#include "ir/dialect/dialect.h"

using namespace mlir;

namespace cutset::passes {

Instruction make_instruction(Command command, Operation* op) {
  return {std::move(command), op->getName().stripDialect().str(), ir::layer_of(op->getLoc()),
          ir::source_of(op->getLoc())};
}

}  // namespace cutset::passes
