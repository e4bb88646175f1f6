// SPDX-License-Identifier: Apache-2.0
// Divides one function into roles and schedules (passes/cut/cut.cc has the example).
#pragma once
#include "llvm/ADT/StringSet.h"
#include "passes/cut/roles/partition.h"
#include "passes/support/placement/pipeline_schedules.h"

namespace cutset::passes {

// Adds the roles and schedules of `function` to the module, and leaves the body of the function as it is.
// `divided`: whether the schedules divide the backward pass. `symbols` has the names that are taken, and gets
// the names of the roles. Fails, with a diagnostic, if a schedule does not fit.
mlir::LogicalResult cut_function(mlir::ModuleOp module, mlir::func::FuncOp function, Partition partition,
                                 PipelineSchedules& schedules, bool divided, llvm::StringSet<>& symbols,
                                 int64_t check_id);

}  // namespace cutset::passes
