// What `cutset explain` says of a placed program.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "passes/explanation.h"
#include "runtime/device.h"

namespace cutset::passes {

// Every placed op of every function, in order; views and what `lower` folds have no cost.
std::vector<Explanation> explain(mlir::ModuleOp module, const DeviceList& devices);

}  // namespace cutset::passes
