// From a module to a Program, in a context of its own that is gone when the Program is there.
#pragma once
#include "frontends/cpp/bridge.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/passes.h"

namespace cutset {

void loadDialects(mlir::MLIRContext& context);
// Contexts do not share, so a module travels as bytecode.
std::string bytecode_of(mlir::ModuleOp module);
Result<CompileResult> compile_bytecode(const std::string& bytecode, const CompileRequest& request);

}  // namespace cutset
