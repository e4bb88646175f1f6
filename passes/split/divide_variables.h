// Divides variables over the replicas of data parallelism, so that each replica holds a piece instead of a copy.
//
// Problem: replicas that hold whole copies waste memory, and each of them computes the same update.
// Method: that of ZeRO (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", SC 2020,
//   section 5). Each replica holds and updates one piece of a trained variable and of its optimizer state. `split` joins the
//   pieces where an op reads the variable. ZeRO joins them behind the update instead; here no transfer may follow the commit of
//   a step, because it could fail, so the next step joins them before it reads them.
//   A variable is divided along its largest dimension along which the update can be divided.
// Complexity: O(ops of @train). Failure: none; a variable without such a dimension is not divided.
#pragma once
#include <optional>

#include "graph/plan.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/StringMap.h"

namespace cutset::passes {

// Sets the pieces of the variables. A plan that an earlier compilation of the session made decides instead, if there is
// one.
void divide_variables(mlir::ModuleOp module, int64_t replicas, const std::optional<Plan>& plan);

// Returns the dimension along which each divided variable of the module is divided, by name.
llvm::StringMap<int> divided_variables(mlir::ModuleOp module);

}  // namespace cutset::passes
