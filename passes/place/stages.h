// SPDX-License-Identifier: Apache-2.0
// The stages of a replica: the devices over which its chain of layers is split, in their order.
//
// With one stage per device, stage s is at position s of the pipeline. A pipeline may have several stages per
// device, its chunks: the stages are then assigned to the positions in turn, so the stage after a stage at
// the last position is at the first position. With a tensor axis, the devices of one position compute the
// same stage.
#pragma once
#include "graph/config/fitted_strategy.h"
#include "graph/config/plan.h"
#include "graph/partition/chain_devices.h"
#include "graph/partition/chain_partition.h"
#include "graph/partition/device_grid.h"
#include "passes/support/placement/cost_groups.h"

namespace cutset::passes {

// The copies of a group of ops on the devices of a tensor axis. They are in the same stage.
struct ChainLayer {
  llvm::SmallVector<Group*> copies;
  int fixed = -1;        // the position of the group if it already has a device, or else -1
  int fixed_stage = -1;  // the stage that a plan names, at the fixed position; -1: none
};

struct Stages {
  const DeviceList& devices;  // the devices of the program
  DeviceGrid grid;
  size_t chunks = 1;                   // the stages per device
  const Pipeline* pipeline = nullptr;  // null: the graph is split by another strategy

  size_t count() const { return grid.per_copy() * chunks; }
  size_t position_of(size_t stage) const { return stage % grid.per_copy(); }
  size_t device_of(int64_t copy, size_t stage) const { return grid.device(copy, position_of(stage)); }
  // Whether the stage computes its activations again for the backward pass.
  bool recomputes(size_t stage) const {
    return pipeline && cutset::recomputes(*pipeline, static_cast<int64_t>(stage));
  }
  // Whether the layer can be in the stage.
  bool allows(const ChainLayer& layer, size_t stage) const {
    return (layer.fixed < 0 || layer.fixed == static_cast<int>(position_of(stage))) &&
           (layer.fixed_stage < 0 || layer.fixed_stage == static_cast<int>(stage));
  }
  // Returns the name of a stage, if devices have several stages: "stage 3 of 4, chunk 2 of cpu:0".
  std::string text(int64_t copy, size_t stage) const;
};

// Returns the chain as a problem for split_chain, whose devices are the stages. A stage takes the time of the
// slowest device of its position, and the time of its activations twice if it recomputes them. The costs of
// all groups must be known. `bytes`: the bytes that are transferred between two devices if the chain is cut
// after each layer. If a layer has a fixed stage, it can run only in this stage. If it has a fixed position,
// it can run only in stages at this position.
ChainProblem chain_problem(const Stages& stages, llvm::ArrayRef<ChainLayer> chain,
                           llvm::ArrayRef<int64_t> bytes);

// Returns the chain as a problem for split_over_some, in which stages may be empty. Its lanes are the devices
// of a tensor axis, and it has no limits of memory. No stage is recomputed. Everything else is as in
// chain_problem.
ChainDevices chain_devices(const Stages& stages, llvm::ArrayRef<ChainLayer> chain,
                           llvm::ArrayRef<int64_t> bytes);

// Returns the first possible stage of each layer. The stages ascend along the chain and are at the fixed
// positions. A layer without a fixed position is in the stage of the layer before it. The list ends before
// the first layer for which no stage is left. Complexity: O(layers + stages).
std::vector<int> first_stages(const Stages& stages, llvm::ArrayRef<ChainLayer> chain);

// Reports at an op of the chain that the fixed positions do not follow the order of the stages, and fails.
// `left`: the length of first_stages.
mlir::LogicalResult refuse_order(const Stages& stages, llvm::ArrayRef<ChainLayer> chain, size_t left);

// Fails with a diagnostic if the line of a plan names a stage for the group that is not on `device`, or a
// stage although devices have one stage each.
mlir::LogicalResult check_stage(const Stages& stages, const Group& group, const Plan::Op& line,
                                size_t device);

// Reports at the first op of the group that no position can run it, with the reasons, and fails; succeeds if
// some position can.
mlir::LogicalResult refuse_if_nowhere(const Stages& stages, const Group& group);

// Returns the stage of an op that adds gradients of several stages: the first stage on `device` that the
// backward pass reaches after it has computed all operands. If there is no such stage, returns the first
// stage of the device.
int64_t stage_of_sum(const Stages& stages, mlir::Operation* op, size_t device);

}  // namespace cutset::passes
