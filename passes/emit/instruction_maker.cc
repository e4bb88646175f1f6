#include "passes/emit/instruction_maker.h"

#include "ir/dialect/dialect.h"

using namespace mlir;

namespace cutset::passes {

Instruction InstructionMaker::make(Command command, Operation* op) {
  const auto [known, first] = names_.try_emplace(op->getLoc());
  Names& its = known->second;
  if (first) its = {ir::layer_of(op->getLoc()), ir::source_of(op->getLoc())};
  return {std::move(command), op->getName().stripDialect().str(), its.layer, its.source};
}

}  // namespace cutset::passes
