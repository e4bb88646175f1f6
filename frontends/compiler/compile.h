// SPDX-License-Identifier: Apache-2.0
// Compiles a module to a Program. Each compilation has a separate MLIR context, which is destroyed when the
// Program is complete.
#pragma once
#include "frontends/cpp/bridge/bridge.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/passes.h"

namespace cutset {

// Loads the dialects that graphs and passes use.
void load_dialects(mlir::MLIRContext& context);
// Returns a handler of diagnostics that keeps the first message in `message`.
std::function<mlir::LogicalResult(mlir::Diagnostic&)> first_message(std::string& message);
// Returns the module as MLIR bytecode, the form in which it is passed from one context to another.
std::string bytecode_of(mlir::ModuleOp module);
// Returns the text of such a module, before any pass.
Result<std::string> text_of_bytecode(const std::string& bytecode);
// Runs the phases of the compiler on a module. Fails with the first error that MLIR or a pass reports.
Result<CompileResult> compile_bytecode(const std::string& bytecode, const CompileConfig& config);

}  // namespace cutset
