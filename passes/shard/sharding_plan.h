// SPDX-License-Identifier: Apache-2.0
// Chooses which variables are divided over the devices of a tensor axis, along which loop each op is divided,
// and in which form each value is kept.
//
// Problem: an op may be computed whole on every device, or divided along a factor of its sharding rule. A
//   division saves time and, if the factor runs over a variable, memory. Where the forms of neighbouring ops
//   differ, a collective is needed. Choose the factors so that the estimated time of a step is minimal.
// Method: two labeling problems (graph/partition/labeling.h). An op is a node whose labels are its factors. A
//   value is a node whose labels are the forms in which it may be kept. The first problem has the forward
//   ops. A label of a value also says in which form the parts of its gradient are summed: the gradient of a
//   piece is a piece, and the gradient of a whole operand of a divided op is a partial sum. The first problem
//   thus counts the collectives of the backward pass without its ops, and it divides the variables. The pairs
//   of a division by columns and a division by rows (Shoeybi et al., "Megatron-LM: Training Multi-Billion
//   Parameter Language Models Using Model Parallelism", 2019, section 3) follow from these costs, and so do
//   pieces of the activations between the pairs (Korthikanti et al., "Reducing Activation Recomputation in
//   Large Transformer Models", 2022, section 4.2.2). The second problem has all other ops. It knows the forms
//   in which the first problem keeps the values of the forward pass. A factor that runs over the batch is not
//   used, because dividing the batch is data parallelism.
// Complexity: one call of choose_labels per problem, with O(ops + operands) nodes and edges. Failure: none.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/passes.h"
#include "passes/shard/piece_units.h"
#include "passes/support/layout/layout.h"

namespace cutset::passes {

struct ShardingPlan {
  llvm::DenseMap<mlir::Operation*, OpLayout> layouts;  // the layouts of all ops except the terminator
  llvm::DenseMap<mlir::Value, Layout>
      forms;                   // the form in which a value is kept; absent: the form that its op computes
  DividedVariables variables;  // the variables that the function reads, and the states of an optimizer
  PieceUnits units;            // the units of the values of the function
};

// Divides the states of an optimizer that have the shape of their variable as the variable.
void divide_states(mlir::ModuleOp module, DividedVariables& variables);

// Plans `function` for groups of `config.strategy.tensor_devices()` devices. `variables` says how the
// variables are divided; nullptr: the function is the first one that is planned, and the plan divides them.
ShardingPlan plan_shardings(mlir::func::FuncOp function, const CompileConfig& config,
                            const DividedVariables* variables);

}  // namespace cutset::passes
