// The whole compilation: a module from a frontend to a Program, phase by phase.
#pragma once
#include <functional>
#include <string>

#include "mlir/IR/BuiltinOps.h"
#include "passes/passes.h"
#include "runtime/program.h"

namespace cutset::passes {

struct PipelineOptions {
  DeviceOptions devices;
  std::string strategy;
  std::optional<Plan> plan;
  std::string function;            // compile this function alone; empty: all of them
  int64_t parts = 0;               // of the batch, whatever the strategy; 0: one a replica
  int64_t bucket_bytes = 1 << 20;  // of gradients that are summed together; 0: each by itself
  std::string inputs;              // for specialise
  std::string dtype;
  bool yield_gradients = false;
  bool unplaced = false;   // forgets, after `split`, where the user put ops
  std::string compile_to;  // stop after this phase; empty: all of them
  // Called after each phase, whose number counts from 1; a failure ends the compilation.
  std::function<mlir::LogicalResult(mlir::ModuleOp, int number, llvm::StringRef phase)> after_phase;
};

// import, differentiate, split, place, cut, communicate, lower
llvm::ArrayRef<llvm::StringLiteral> phases();

// Runs the phases over `module`, in place, verifying after every pass. Diagnostics go to the context's
// handler.
mlir::LogicalResult run_phases(mlir::ModuleOp module, const PipelineOptions& options);

}  // namespace cutset::passes
