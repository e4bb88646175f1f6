// SPDX-License-Identifier: Apache-2.0
#include "passes/support/next_id.h"

#include "ir/dialect/dialect.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

int64_t next_id(ModuleOp module) {
  int64_t id = 1;
  if (auto attribute = module->getAttrOfType<IntegerAttr>(kNextId)) id = attribute.getInt();
  module.walk([&](ir::PlacedOpInterface op) { id = std::max(id, op.placement().id + 1); });
  return id;
}

}  // namespace cutset::passes
