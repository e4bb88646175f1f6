// SPDX-License-Identifier: Apache-2.0
// Adds the updates of an optimizer to a function that trains.
//
//   cutset.variable @w : tensor<4xf32>           cutset.variable @w : tensor<4xf32>
//                                                cutset.variable @"w/velocity" : tensor<4xf32> state_of @w
//   func @train(...) -> (loss {minimize = {op = "sgd", learning_rate = 0.1, momentum = 0.9}})
//                                                func @train(..., %rate, %momentum)
//     %w = cutset.read @w                  ->      %w = cutset.read @w;  %v = cutset.read @"w/velocity"
//     %g = the gradient of %w                      %w1, %v1 = cutset.sgd %w, %v, %g, %rate, %momentum
//                                                  cutset.assign @w, %w1;  cutset.assign @"w/velocity", %v1
//
// The attribute `cutset.minimize` of the loss (passes/differentiate/optimizer_settings.h) has the name of an
// op with `updates = n`, its attributes, and the initial values of its hyper-parameters. The operands of the
// op are the variable, n - 1 states, the gradient and the hyper-parameters, in this order. The function
// `states` of the op folder says which types and first values the states have, and the names of the operands
// are the names of the states and hyper-parameters. Hyper-parameters become arguments of the function, which
// the session feeds.
//
// If the module has the attribute `cutset.clip_value` or `cutset.clip_norm`, the gradients are clipped before
// the updates (ir/core/op/clip_gradients.h). If it has `cutset.average`, moving_average updates the state
// "w/average" of each variable with the result of its update.
//
// The sum of the gradients of a variable has the id of the update, so that `place` puts both on the home of
// the variable.
#pragma once
#include "llvm/ADT/MapVector.h"
#include "passes/differentiate/optimizer_settings.h"

namespace cutset::passes {

// The summands of the gradient of each trained variable, in the order in which the function reads the
// variables.
using VariableGradients = llvm::MapVector<mlir::StringAttr, llvm::SmallVector<mlir::Value>>;

// Adds the updates at the insertion point of `builder`, which is the end of `train`. Afterwards each entry of
// `variables` has one element, the whole gradient. Fails, with a diagnostic, if the optimizer cannot update a
// variable, or if a name is taken.
mlir::LogicalResult add_updates(mlir::ModuleOp module, mlir::func::FuncOp train,
                                const OptimizerSettings& settings, mlir::OpBuilder& builder,
                                VariableGradients& variables);

}  // namespace cutset::passes
