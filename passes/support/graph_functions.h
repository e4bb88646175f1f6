// SPDX-License-Identifier: Apache-2.0
// The functions of @graph before make-functions divides it: the results, the values and the assignments that
// belong to each of them.
//
// A result belongs to the function that its attribute `cutset.function` names. Results without this attribute
// are shared: they belong to @train, if one of them has `cutset.minimize`, and to @evaluate, unless the graph
// has results for @evaluate. A function with a result that has `cutset.minimize` trains.
//
// Complexity: O(ops + operands) per function. Failure: none.
#pragma once
#include "ir/structural/structural.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// A function of @graph.
struct GraphFunction {
  llvm::SmallVector<unsigned> results;  // the numbers of its results in @graph
  bool trains = false;                  // whether it makes training steps
};
// Returns the functions of @graph by name: @train, @evaluate, and then the others in the order of their
// results.
llvm::MapVector<mlir::StringAttr, GraphFunction> functions_of(mlir::func::FuncOp graph);

// Returns the value that a function uses where the graph has `v`: of a `when_training`, the first operand if
// the function trains, and the second one otherwise.
mlir::Value chosen_value(mlir::Value v, bool trains);

// Returns the assignments that the function `name` makes, in their order: those that name it, and those that
// are made with a value which its results need. Functions that do not train assign nothing.
llvm::SmallVector<ir::AssignOp> assignments_of(mlir::func::FuncOp graph, mlir::StringAttr name,
                                               const GraphFunction& function);

// Whether a function that make-functions made changes variables.
bool trains(mlir::func::FuncOp function);
// Returns the functions that train, in their order.
llvm::SmallVector<mlir::func::FuncOp> training_functions(mlir::ModuleOp module);

}  // namespace cutset::passes
