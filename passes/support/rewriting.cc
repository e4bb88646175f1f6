#include "passes/support/rewriting.h"

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
  if (failed(op.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
                                 op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), types)) result.setType(type);
  return success();
}

}  // namespace cutset::passes
