// Gives the results of an op the types that its operands and attributes have now.
#pragma once
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace cutset::passes {

inline mlir::LogicalResult infer_again(mlir::InferTypeOpInterface op) {
  llvm::SmallVector<mlir::Type> types;
  if (mlir::failed(op.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
                                       op->getPropertiesStorage(), op->getRegions(), types)))
    return mlir::failure();
  for (auto [result, type] : llvm::zip(op->getResults(), types)) result.setType(type);
  return mlir::success();
}

}  // namespace cutset::passes
