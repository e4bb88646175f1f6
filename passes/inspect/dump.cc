// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/dump.h"

#include "passes/inspect/dot_builder.h"
#include "passes/inspect/dot_groups.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

std::string module_text(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, OpPrintingFlags().enableDebugInfo(false));
  return text;
}

std::string usual_drawing(ModuleOp module) {
  const GroupedDrawings grouped = group_drawing(DotBuilder(module));
  return to_dot(grouped.many_layers ? grouped.blocks : grouped.layers);
}

Drawings drawings_of(ModuleOp module) {
  const DotBuilder drawing(module);
  DotGraph ops = drawing.graph();
  ops.legend = {{"forward", "white"},
                {"backward", kDotBackward},
                {"variables", kDotUpdate},
                {"inputs and outputs", kDotPort},
                {"ends of transfers", kDotTransfer},
                {kDotTransfers, "", kDotCutColour}};
  const GroupedDrawings grouped = group_drawing(drawing);
  return {to_dot(ops), to_dot(grouped.layers), to_dot(grouped.blocks),
          grouped.many_layers ? DotLevel::kBlock : DotLevel::kLayer};
}

}  // namespace cutset::passes
