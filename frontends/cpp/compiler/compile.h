// From a module to a Program, in a context of its own that is gone when the Program is there.
#pragma once
#include "frontends/cpp/bridge.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/passes.h"

namespace cutset {

void loadDialects(mlir::MLIRContext& context);
Result<CompileResult> compile_module(mlir::ModuleOp module, const CompileRequest& request);

}  // namespace cutset
