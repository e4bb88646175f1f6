#include "passes/emit/instruction_maker.h"

#include "ir/dialect/dialect.h"

using namespace mlir;

namespace cutset::passes {

Instruction InstructionMaker::make(Command command, Operation* op) {
  const auto [known, first] =
      names_.try_emplace({op->getLoc().getAsOpaquePointer(), op->getName().getAsOpaquePointer()});
  if (first)
    known->second = named(op->getName().stripDialect().str(), ir::layer_of(op->getLoc()), ir::source_of(op->getLoc()));
  return {std::move(command), known->second};
}

}  // namespace cutset::passes
