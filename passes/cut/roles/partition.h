// SPDX-License-Identifier: Apache-2.0
// Assigns every op of a placed function to a role.
//
// Problem: divide the ops of each device into roles so that a role runs to its end once its arguments are
//   available, and so that no roles wait for each other in a cycle.
// Method: the level of an op is the largest number of cut edges on a path to the op. All ops with the same
//   device, stage, level and kind form a role. A transfer always goes from a lower level to a higher one, so
//   waits are acyclic. A gather (kBeginsRole) is in the role of its first reader, which lies one level above
//   the reader's other operands. So the whole variable is in memory only while one role runs.
// Complexity: O(ops + operands) and the sorting of roles. Failure: a diagnostic at the op, see `partition`.
#pragma once
#include <map>

#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// The kinds of roles, by their ops:
// - Forward: the ops of passes/support/layout/forward_ops.h.
// - Update: the ops that replace variables.
// - Backward: all other ops.
// - Micro-batch: the forward and the backward ops of a micro-batch, unless there is a pipeline of several
//   stages.
// - Backward input and backward weight: the two parts of the backward ops (backward_parts.h), if the schedule
//   of the pipeline divides the backward pass.
enum class RoleKind { kForward, kBackward, kUpdate, kMicroBatch, kBackwardInput, kBackwardWeight };
llvm::StringRef name_of(RoleKind kind);

// Identifies a role of a device. Roles run in ascending order of their keys.
struct RoleKey {
  bool apply = false;       // the role runs after the commit
  int round = 0;            // rounds.h
  int64_t shard_class = 0;  // if the round is odd: the class of the micro-batches
  int64_t stage = 0;        // the stage of a role of micro-batches, if its device has several stages
  int level = 0;            // cut edges on the longest path to the ops of the role; 0 for all updates
  RoleKind kind = RoleKind::kForward;
  auto operator<=>(const RoleKey&) const = default;
};

struct Partition {
  llvm::MapVector<mlir::StringAttr, std::map<RoleKey, llvm::SmallVector<mlir::Operation*>>>
      roles;  // device -> its roles with their ops
  llvm::DenseMap<mlir::Operation*, mlir::StringAttr> device;
  llvm::DenseMap<mlir::Operation*, RoleKey> role;
  llvm::DenseMap<mlir::Value, mlir::StringAttr>
      passed;  // results that no op computes -> the device that hands them to the host
};

// Whether the op is a constant or a type_only. These ops have no device; each role that reads one clones it.
bool is_unplaced(mlir::Operation* op);
// Assigns each op of `function` to a device and a role. `symbols`: the symbols of the module. `divided`:
// whether the schedules divide the backward pass. A result that is an input or a constant is handed to the
// host by a device that reads it, or else by the first device. Fails if an op has no device, if an all_reduce
// sums something that no device computes, or if something before the commit, or another device, needs the
// result of an update.
mlir::FailureOr<Partition> partition(mlir::func::FuncOp function, const mlir::SymbolTable& symbols,
                                     bool divided);

}  // namespace cutset::passes
