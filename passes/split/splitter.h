// SPDX-License-Identifier: Apache-2.0
// Divides one function over replicas and shards (passes/split/split.cc has the example).
#pragma once
#include "graph/config/fitted_strategy.h"
#include "passes/split/divide_variables.h"
#include "passes/split/shards.h"
#include "passes/support/layout/batch.h"

namespace cutset::passes {

// Replaces the body of `function`: each op is copied once per class of shards, or once per replica. Every
// replica has `copies` copies of each op, one per device of its tensor axis. `divided` has the variables that
// are divided over the replicas. Fails, with a diagnostic, if an op needs the rows of all micro-batches at
// once.
mlir::LogicalResult split_function(mlir::func::FuncOp function, const Batch& batch, const Shards& shards,
                                   int64_t copies, Data::Shard level,
                                   const llvm::StringMap<DividedVariable>& divided);

}  // namespace cutset::passes
