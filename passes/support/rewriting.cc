// SPDX-License-Identifier: Apache-2.0
#include "passes/support/rewriting.h"

#include "ir/dialect/dialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace cutset::passes {

void erase_dead(Block& block) {
  SmallVector<Operation*> ops;
  for (Operation& op : block.without_terminator()) ops.push_back(&op);
  for (Operation* op : llvm::reverse(ops))
    if (isOpTriviallyDead(op)) op->erase();
}

LogicalResult infer_again(InferTypeOpInterface op) {
  SmallVector<Type> types;
  if (failed(op.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                 op->getRawDictionaryAttrs(), op->getPropertiesStorage(), op->getRegions(),
                                 types)))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), types)) result.setType(type);
  return success();
}

LogicalResult refuse_pins(ModuleOp module, int64_t copies) {
  const auto walked = module.walk([&](ir::PlacedOpInterface op) {
    if (!op.placement().by_user()) return WalkResult::advance();
    op->emitOpError()
        << "is pinned to " << op.placement().device << ", but the op has a copy in each of " << copies
        << " replicas, which run on different devices (remove the pin, which names one device, or use a "
           "strategy without data and tensor parallelism)";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

}  // namespace cutset::passes
