#include "passes/dump.h"

#include "passes/passes.h"
#include "passes/picture.h"

using namespace mlir;

namespace cutset::passes {

std::string module_text(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, OpPrintingFlags().enableDebugInfo(false));
  return text;
}

std::string module_dot(ModuleOp module, DotLevel level, const std::string& function) {
  Picture picture(module, function);
  return to_dot(level == DotLevel::kOp ? picture.graph() : picture.by_layer());
}

}  // namespace cutset::passes
