// SPDX-License-Identifier: Apache-2.0
// The results of the function that holds a whole graph. Each result is an output of one or more functions of
// the user.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "frontends/cpp/bridge/bridge.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset {

class GraphResults {
 public:
  // Adds results to `graph`, whose last op is `end`.
  GraphResults(mlir::func::FuncOp graph, mlir::func::ReturnOp end);

  // Adds an output of "train" and "evaluate". Fails if the name is taken.
  Status add_output(const std::string& name, mlir::Value value);
  // Adds the outputs of the function `name`. The caller provides the inputs `inputs`, and the session
  // provides `fed`. Fails if the name is taken, or if an output depends on another input.
  Status add_function(const std::string& name, const std::vector<mlir::Value>& inputs,
                      const std::vector<mlir::Value>& fed,
                      const std::vector<std::pair<std::string, mlir::Value>>& outputs);
  // Adds the output "loss" of the function that minimizes `loss`. Fails if a name is taken.
  Status add_loss(const Minimization& minimization, mlir::Value loss);
  // Whether a function has the name, or may get it.
  bool is_function(const std::string& name) const { return reserved_.contains(name); }

 private:
  Status check_name(const std::string& function) const;
  void add(const std::string& name, mlir::Value value, const std::string& function = "");

  mlir::func::FuncOp graph_;
  mlir::func::ReturnOp end_;
  llvm::StringSet<> outputs_, functions_;
  llvm::StringSet<> reserved_;  // the names of functions, which a variable cannot have
};

}  // namespace cutset
