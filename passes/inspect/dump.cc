#include "passes/inspect/dump.h"

#include "passes/inspect/dot_builder.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

std::string module_text(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, OpPrintingFlags().enableDebugInfo(false));
  return text;
}

std::string module_dot(ModuleOp module, DotLevel level, const std::string& function) {
  DotBuilder drawing(module, function);
  return to_dot(level == DotLevel::kOp ? drawing.graph() : drawing.by_layer());
}

}  // namespace cutset::passes
