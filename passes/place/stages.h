// The stages of a replica: the devices over which its chain of groups is split, in their order.
//
// With one stage per device, stage s is on the device s of the replica. A pipeline may have several stages per device,
// its chunks: the stages are then dealt out to the devices in turn, and the stage behind one of the last device is on the
// first device.
#pragma once
#include "graph/chain_partition.h"
#include "passes/support/cost_groups.h"

namespace cutset::passes {

struct Stages {
  const DeviceList& devices;  // of the program
  size_t first = 0;           // the first device of the replica
  size_t per_replica = 1;     // the number of its devices
  size_t chunks = 1;          // the stages per device

  size_t count() const { return per_replica * chunks; }
  size_t device_of(size_t stage) const { return first + stage % per_replica; }
  // "split 1 of 2", or "stage 3 of 4, chunk 2 of cpu:0".
  std::string text(size_t stage) const;
};

// Returns the chain as a problem for split_chain, whose devices are the stages. The costs of all groups must be known.
// `bytes`: what a cut behind each group transfers. `fixed`: the device of each group that already has one, or else -1; it
// can run in no stage of another device.
ChainProblem chain_problem(const Stages& stages, llvm::ArrayRef<Group*> chain, llvm::ArrayRef<int64_t> bytes,
                           llvm::ArrayRef<int> fixed);

// Returns the first stages, in ascending order along the chain, whose devices are those of `fixed`. A group without a
// device is in the stage of the group before it. The list ends before the first group for which no stage is left.
// Complexity: O(groups + stages).
std::vector<int> first_stages(const Stages& stages, llvm::ArrayRef<int> fixed);

// Reports at an op of the chain that `fixed` does not follow the order of the stages, and fails. `left`: the length of
// first_stages.
mlir::LogicalResult refuse_order(const Stages& stages, llvm::ArrayRef<Group*> chain, llvm::ArrayRef<int> fixed,
                                 size_t left);

// Returns the stage, of those on `device`, of an op that adds gradients of several stages: the backward pass reaches it when
// it has computed the operands. If there is no such stage, it is the first one of the device.
int64_t stage_of_sum(const Stages& stages, mlir::Operation* op, size_t device);

}  // namespace cutset::passes
