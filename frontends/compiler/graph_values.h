// SPDX-License-Identifier: Apache-2.0
// The values of the function that holds a whole graph.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset {

// Where a value of a graph is:
// - `op` is -1: the value is argument `number` of its function.
// - `op` is -2: the value was erased.
// - Otherwise: the value is result `number` of op `op`, counted from 0.
struct ValuePlace {
  int op = -1;
  unsigned number = 0;
};
std::vector<ValuePlace> places_of(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> values);
std::vector<mlir::Value> values_at(mlir::func::FuncOp function, llvm::ArrayRef<ValuePlace> places);

// Returns the name of the input that is this argument.
std::string input_name(mlir::func::FuncOp function, mlir::Value argument);
// Returns the id of the input with this name; empty if there is none.
std::optional<size_t> id_of_input(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> values,
                                  const std::string& name);
// Returns the name of an input that `value` depends on and that `given` lacks, or an empty text. Ops in
// `seen` were visited by an earlier call and are skipped.
std::string missing_input(mlir::func::FuncOp function, mlir::Value value,
                          const llvm::DenseSet<mlir::Value>& given, llvm::DenseSet<mlir::Operation*>& seen);

}  // namespace cutset
