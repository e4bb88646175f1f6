// Scalar arguments that the session feeds with every run.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// The argument of `function` that is hyper-parameter `name`, a scalar of `element` whose first value is `initial`:
// the one it has, or a new one at the end. Fails where an input has that name, or where the first values differ.
mlir::FailureOr<mlir::Value> hyper_parameter(mlir::func::FuncOp function, llvm::StringRef name, mlir::FloatAttr initial,
                                             mlir::Type element);

}  // namespace cutset::passes
