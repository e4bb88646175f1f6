// SPDX-License-Identifier: Apache-2.0
// Divides variables over the replicas of data parallelism, so that each replica holds a piece instead of a
// copy.
//
// Problem: replicas that hold whole copies waste memory, and each of them computes the same update.
// Method: ZeRO (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
//   SC 2020, section 5). Each replica holds and updates one piece of a trained variable, and of each of its
//   optimizer states that has its shape. `split` joins the pieces where an op reads the variable. ZeRO joins
//   them after the update instead. Here the next step joins them before it reads them, because a transfer
//   after the commit of a step could fail. A variable is divided along its largest dimension along which the
//   update can be divided. Replicas with a tensor axis of n devices divide each variable over all r n
//   devices. A piece of the tensor axis is divided again along its dimension, so the variable has r n pieces,
//   and piece k r + i is on device k of replica i. `shard` divides such a variable only where these pieces
//   lie inside the pieces of the axis (divides_evenly). A variable that is whole on the axis also has r n
//   pieces, in the same order.
// Complexity: O(ops of @train). Failure: none; a variable without such a dimension is not divided.
#pragma once
#include <compare>
#include <optional>

#include "graph/config/fitted_strategy.h"
#include "graph/config/plan.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/StringMap.h"
#include "passes/support/layout/layout.h"

namespace cutset::passes {

// How the replicas divide a variable.
struct DividedVariable {
  int axis = 0;
  bool has_pieces =
      false;  // the tensor axis divides the variable along the same dimension; false: the axis has it whole
};

// The pieces of a value that the replicas have, for one device of their tensor axes.
struct ReplicaPieces {
  Layout axis = kWhole;
  int64_t device = 0;  // the number of the device on the tensor axis
  bool of_piece =
      false;  // the value is the piece of this device; false: the whole value, divided over the replicas
  auto operator<=>(const ReplicaPieces&) const = default;
};

// Sets the pieces of the variables, and the attribute kDividedBefore of the variables that the replicas
// divide. If an earlier compilation of the session made a plan, the plan decides which variables are divided.
void divide_variables(mlir::ModuleOp module, const FittedStrategy& strategy, const std::optional<Plan>& plan);

// Returns the variables of the module that the replicas divide, by name.
llvm::StringMap<DividedVariable> divided_variables(mlir::ModuleOp module);

// Returns the pieces that the replicas hold of a variable, for an op of one device of a tensor axis that
// reads, sets or updates the variable, or changes its gradient. The axis is kWhole if each replica holds the
// whole variable, or if the op does none of these.
ReplicaPieces replica_pieces(mlir::Operation* op, const llvm::StringMap<DividedVariable>& divided);

}  // namespace cutset::passes
