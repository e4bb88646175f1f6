// SPDX-License-Identifier: Apache-2.0
// Makes the function of a role.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace cutset::passes {

// Appends a role without ops to the module, and sets the insertion point of `builder` to the beginning of its
// body. `kind` is "forward", "update" and so on; emission, drawings and traces tell roles apart by it. The
// name must be unique in the module.
mlir::func::FuncOp new_role(mlir::OpBuilder& builder, mlir::ModuleOp module, mlir::Location location,
                            const std::string& name, llvm::StringRef kind, mlir::StringAttr device,
                            mlir::TypeRange arguments, mlir::TypeRange results);

}  // namespace cutset::passes
