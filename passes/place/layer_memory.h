// SPDX-License-Identifier: Apache-2.0
// Estimates the memory that the layers of a chain take of their devices.
#pragma once
#include <map>

#include "graph/partition/chain_partition.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/place/stages.h"

namespace cutset::passes {

// Returns the memory of the layers, and the capacities of the positions of the stages; without layers if no
// device has a limit. `position`: the layer of each group of one replica.
//
// A layer holds the variables that its ops read first, the states of their optimizers and their gradients,
// which are alive until the updates, and the results of its forward ops that backward ops read. It works with
// the operands and results of its largest op. The values of a tensor axis are divided over its devices. The
// capacity of a position is the memory of its smallest device. Complexity: O(ops + operands log groups).
ChainMemory layer_memory(mlir::ModuleOp module, const Stages& stages,
                         const std::map<GroupKey, size_t>& position, size_t layers);

}  // namespace cutset::passes
