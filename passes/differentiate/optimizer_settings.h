// SPDX-License-Identifier: Apache-2.0
// How the optimizer of a function reduces its loss: the attribute `cutset.minimize` of the loss.
//
//   {op = "adam", learning_rate = 0.001, ..., variables = ["d.weight", "d.bias"],
//    groups = [{name = "no_decay", variables = ["d.bias"], weight_decay = 0.0}]}
//
// `op` names an op with `updates = n`. The attributes of the op and the initial values of its
// hyper-parameters have their own names. `variables` are the variables that the optimizer updates: without
// it, all trainable variables. A group gives its variables other initial values of some hyper-parameters, and
// the session can set these values separately.
#pragma once
#include <optional>
#include <string>

#include "ir/core/op/op_info.h"
#include "ir/structural/structural.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

class OptimizerSettings {
 public:
  // Reads the settings of result number `loss` of `function`. Fails, with a diagnostic, if they do not name
  // an op that updates its operands.
  static mlir::FailureOr<OptimizerSettings> of(mlir::func::FuncOp function, unsigned loss);

  // Returns the op that updates a variable.
  const OpInfo& op() const { return *op_; }
  // Returns the attributes of the op.
  llvm::ArrayRef<mlir::NamedAttribute> attributes() const { return attributes_; }
  // Whether the optimizer updates the variable, unless it is frozen.
  bool trains(llvm::StringRef variable) const { return !only_ || only_->contains(variable); }

  // A hyper-parameter: its name in the session, and its initial value.
  struct HyperParameter {
    std::string name;
    mlir::FloatAttr initial;
  };
  // Returns the hyper-parameter that is the operand `operand` of the update of `variable`. Its name is
  // OPERAND, GROUP/OPERAND, FUNCTION/OPERAND or FUNCTION/GROUP/OPERAND, where the function is left out if it
  // is "train". std::nullopt if the settings have no such value.
  std::optional<HyperParameter> hyper_parameter(llvm::StringRef variable, llvm::StringRef operand) const;
  // Returns the name of a state of `variable`: VARIABLE/STATE, or VARIABLE/FUNCTION/STATE if the function is
  // not "train", because each optimizer has its own states.
  std::string state_name(llvm::StringRef variable, llvm::StringRef state) const;

 private:
  std::string function_;  // with a "/" at its end; empty: "train"
  const OpInfo* op_ = nullptr;
  llvm::SmallVector<mlir::NamedAttribute> attributes_;
  mlir::DictionaryAttr settings_;
  std::optional<llvm::StringSet<>> only_;
  llvm::StringMap<mlir::DictionaryAttr> groups_;  // by variable
};

}  // namespace cutset::passes
