// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/report.h"

#include "ir/dialect/dialect.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

static std::string line(StringRef topic, ir::PlacedOpInterface op) {
  const std::string layer = ir::layer_of(op->getLoc());
  return (topic + ": " + (layer.empty() ? "" : layer + " ") + op->getName().stripDialect() + " (" +
          ir::source_of(op->getLoc()) + ") on " + op.placement().device.getValue() + ": ")
      .str();
}

std::string report_placement(ModuleOp module) {
  std::string text;
  module.walk([&](ir::PlacedOpInterface op) {
    if (!op.placement().device || !op.placement().reason) return;
    text += line("place", op) + op.placement().reason.str();
    if (auto whole = op->getAttrOfType<StringAttr>(kWholeBecause))
      text += "; not split by the batch: " + whole.str();
    text += "\n";
  });
  return text;
}

std::string report_kernels(ModuleOp module) {
  std::string text;
  module.walk([&](ir::PlacedOpInterface op) {
    auto kernel = op->getAttrOfType<StringAttr>(kKernel);
    if (!kernel) return;
    text += line("dispatch", op) + kernel.str();
    if (auto refused = op->getAttrOfType<ArrayAttr>(kRefused))
      for (Attribute why : refused) text += "; refused: " + cast<StringAttr>(why).str();
    text += "\n";
  });
  return text;
}

}  // namespace cutset::passes
