// SPDX-License-Identifier: Apache-2.0
// Groups the ops of a module for placement, and estimates the costs of the groups. A group is the unit of
// placement: all ops with the same replica and id, in all functions, run on one device.
//
// Complexity: O(ops * devices) for the costs. Failure: none; a device that cannot run a group has infinite
// cost.
#pragma once
#include <map>

#include "graph/partition/device_grid.h"
#include "ir/structural/structural.h"
#include "runtime/device/device.h"

namespace cutset::passes {

struct GroupKey {
  int64_t replica = 0, id = 0;
  auto operator<=>(const GroupKey&) const = default;
};
inline GroupKey key_of(ir::PlacedOpInterface op) { return {op.placement().replica, op.placement().id}; }

struct Group {
  GroupKey key;
  llvm::SmallVector<ir::PlacedOpInterface> ops;
  // One entry per device; all lists are empty before Costs::estimate. `seconds` holds the estimated time in
  // one step, or infinity if the device cannot run the group. `refusals` holds the reason why the device
  // cannot run the group. `seconds_again` holds the part of `seconds` that is computed twice in a stage that
  // recomputes its activations.
  std::vector<double> seconds, seconds_again;
  std::vector<std::string> refusals;
  bool updates = false;          // the group has an update, which runs on the home of its variable
  bool beside_training = false;  // some functions train, and no op of the group is in one of them
  std::string layer() const { return ir::layer_of(ops.front()->getLoc()); }
  std::string source() const { return ir::source_of(ops.front()->getLoc()); }
};

// Returns the groups, without costs, in the order of the first function that has ops. A group that only a
// later function has comes directly after the group that precedes it in that function. For example, a batch
// normalization that only @evaluate has is between its neighbouring layers, and not after all layers.
std::vector<Group> collect_groups(mlir::ModuleOp module);

// Estimates the costs of groups. The cost of an op follows from its cost rule and from the performance model
// of a device. If some functions train, the time is the sum over these functions, but a device must be able
// to run the ops of all functions. A group has costs only on the devices of its copy of the graph.
class Costs {
 public:
  // `devices` must outlive the object. `recompute`: some stages compute their activations again.
  Costs(mlir::ModuleOp module, const DeviceList& devices, const DeviceGrid& grid, bool recompute = false);
  // Sets the costs of the group, unless they are set.
  void estimate(Group& group) const;

 private:
  const DeviceList& devices_;
  DeviceGrid grid_;
  llvm::DenseSet<mlir::Operation*> training_;  // the functions that train
  llvm::DenseSet<mlir::Operation*> again_;     // the ops of these functions that stages compute again
};

// Returns, for each position i but the last, the bytes that would be transferred if the chain of groups were
// cut between the positions i and i + 1: forward activations and backward gradients. `position` is the
// position of each group, and `positions` their number. Complexity: O(operands log groups).
std::vector<int64_t> crossing_bytes(mlir::ModuleOp module, const std::map<GroupKey, size_t>& position,
                                    size_t positions);

// Returns the estimated speed of the devices of each replica for the whole program, relative to the fastest
// replica, whose speed is 1. All speeds are 1 if no device can run the whole program.
std::vector<double> replica_speeds(mlir::ModuleOp module, const DeviceList& devices, int64_t replicas);

}  // namespace cutset::passes
