// SPDX-License-Identifier: Apache-2.0
// Runs the phases of a compilation on the module that a frontend built. passes/emit/emit.h turns the result
// into a Program.
#pragma once
#include <functional>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "passes/passes.h"

namespace cutset::passes {

// Called after each phase with its number, which counts from 1, and its name. A failure ends the compilation.
using AfterPhase = std::function<mlir::LogicalResult(mlir::ModuleOp, int number, llvm::StringRef phase)>;

// Returns the names of the phases in order: import, differentiate, split, place, cut, communicate, lower.
llvm::ArrayRef<llvm::StringLiteral> phases();

// Returns the functions that create the passes of all phases, in the order in which the passes run. Some
// passes run in several phases.
std::vector<CreatePass*> all_passes();

// Runs the phases up to `config.last_phase` on `module`, which is changed in place. MLIR verifies a module of
// at most 1,000 ops after every phase, and a larger one after the last. CheckPlacement checks the placements
// after every pass. Fails if a pass, a check or `after_phase` fails; the diagnostics go to the handler of the
// context.
mlir::LogicalResult run_phases(mlir::ModuleOp module, const CompileConfig& config,
                               const AfterPhase& after_phase = {});

// Registers every pass with MLIR, so that its flag becomes an option of a command line. `config` may be
// filled in after this call, but before the passes run.
void register_passes(const CompileConfig& config);

}  // namespace cutset::passes
