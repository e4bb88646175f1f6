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
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
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

// Ops of @graph.
using NeededOps = llvm::DenseSet<mlir::Operation*>;
// Adds the ops on which `value` depends in a function.
void add_needed(NeededOps& needed, mlir::Value value, bool trains);
// Returns the ops on which the results of a function depend.
NeededOps needed_by_results(mlir::func::FuncOp graph, const GraphFunction& function);

// Returns the name of the function that makes an assignment without `moved_with`.
inline llvm::StringRef function_of(ir::AssignOp assign) { return assign.getFunction().value_or("train"); }
// Returns the assignments that the function `name` makes, in their order: assignments that name it, and
// assignments that are made with one of the ops `needed`, on which its results depend. Functions that do not
// train assign nothing.
llvm::SmallVector<ir::AssignOp> assignments_of(mlir::func::FuncOp graph, mlir::StringAttr name,
                                               const GraphFunction& function, const NeededOps& needed);

// Whether a function that make-functions made changes variables.
bool trains(mlir::func::FuncOp function);
// Returns the functions that train, in their order.
llvm::SmallVector<mlir::func::FuncOp> training_functions(mlir::ModuleOp module);
// Returns the ops that update each variable, by its name, in all functions that train.
llvm::StringMap<llvm::SmallVector<ir::CutsetOpInterface>> updates_of(mlir::ModuleOp module);

}  // namespace cutset::passes
