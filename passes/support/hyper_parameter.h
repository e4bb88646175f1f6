// SPDX-License-Identifier: Apache-2.0
// Adds hyper-parameters to a function: scalar arguments that the session feeds with every run.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Returns the argument of `function` that is the hyper-parameter `name`. If there is none, it is added at the
// end as a scalar of type `element` with the initial value `initial`. Fails, with a diagnostic, if an input
// has the same name, or if the hyper-parameter has another initial value.
mlir::FailureOr<mlir::Value> hyper_parameter(mlir::func::FuncOp function, llvm::StringRef name,
                                             mlir::FloatAttr initial, mlir::Type element);

}  // namespace cutset::passes
