// SPDX-License-Identifier: Apache-2.0
// The variables of the module that holds a graph: their declarations, their initial values, and the
// assignments of functions to them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "frontends/compiler/graph_snapshot.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace cutset {

class GraphVariables {
 public:
  // Starts with the variables of the module, whose initial values are `initialized`. `is_copy` says whether
  // the module is a copy for other shapes (ResizedGraph). A copy keeps its variables, so the methods find the
  // variables that they would make. Refers to `function`, the function with the graph, and to `builder`.
  GraphVariables(mlir::func::FuncOp function, mlir::OpBuilder& builder,
                 std::vector<InitializedVariable> initialized, bool is_copy);

  // Declares a variable and returns the op that reads it. Fails if the name is taken, or if the op that draws
  // the initial value does not accept the type of the variable.
  Result<mlir::Value> declare(const std::string& name, const TensorType& type,
                              const std::optional<FirstValue>& first, bool trainable, mlir::Location source);
  // Assigns a value to the variable when `function` runs. Fails if `variable` is not a variable, has another
  // type, or is assigned already.
  Status assign(mlir::Value variable, mlir::Value value, const std::string& function, mlir::Location source);
  // Assigns a value in the step that trains `moved_with`. Fails as assign() does.
  Status move(mlir::Value variable, mlir::Value value, mlir::Value moved_with, mlir::Location source);
  // Divides the variable along the dimension. Fails if `variable` is not a variable or is divided already.
  Status shard(mlir::Value variable, int dimension);
  // Returns the names of the floating-point variables that are not frozen.
  std::vector<std::string> trainable();
  void freeze(const std::vector<std::string>& names);
  // Removes the variable that was declared last, and its initial value.
  void forget(llvm::StringRef name);
  const std::vector<InitializedVariable>& initialized() const { return initialized_; }

 private:
  Result<mlir::Value> declared_in_copy(const std::string& name, const TensorType& type,
                                       const std::optional<FirstValue>& first, mlir::Location source);
  mlir::Value read(const std::string& name, const TensorType& type, mlir::Location source);

  mlir::func::FuncOp function_;
  mlir::OpBuilder& builder_;
  std::vector<InitializedVariable> initialized_;
  bool is_copy_;
  llvm::StringMap<mlir::Operation*> variables_;
  llvm::StringSet<> assigned_;
  llvm::StringMap<size_t> moved_again_;  // in a copy: the number of calls of move() per variable
};

}  // namespace cutset
