// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/over_limit.h"

#include "mlir/IR/Builders.h"
#include "passes/inspect/dot_builder.h"

using namespace mlir;

namespace cutset::passes {

void mark_over_limit(ModuleOp module, const std::map<std::string, MemoryOfDevice>& memory) {
  module->removeAttr(kOverLimit);
  Builder b(module.getContext());
  SmallVector<NamedAttribute> devices;
  for (const auto& [device, bytes] : memory)
    if (bytes.limit > 0 && bytes.needed > bytes.limit)
      devices.push_back(b.getNamedAttr(
          device, b.getStringAttr("over its limit: " + bytes_text(static_cast<int64_t>(bytes.needed)) +
                                  " of " + bytes_text(static_cast<int64_t>(bytes.limit)))));
  if (!devices.empty()) module->setAttr(kOverLimit, b.getDictionaryAttr(devices));
}

}  // namespace cutset::passes
