// SPDX-License-Identifier: Apache-2.0
// Names of variables: which of them a user means, and what the tensors of a file are to the variables of a
// program.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/files/safetensors.h"
#include "runtime/program/program.h"

namespace cutset {

// What a tensor of a file is to a program.
enum class TensorRole {
  kVariable,  // the value of a variable
  kExcepted,  // named by VariableFileOptions::except
  kCounter,   // a counter of PyTorch's batch normalization, which no variable stands for
  kIndices,   // the numbers 0, 1, 2 ... or zeros that embeddings of transformers save, which no variable
              // stands for
  kState,     // a state of an optimizer, of a variable that has no such state
  kUnknown
};

// The names of the variables of a program. It refers to the variables and to `except`,
// VariableFileOptions::except.
class VariableNames {
 public:
  VariableNames(const std::vector<Variable>& variables, const std::vector<std::string>& except);

  TensorRole role(std::string_view name, const TensorType& type) const;
  // The variable with this name, or null.
  const Variable* find(std::string_view name) const;
  // Whether an element of `except` names the variable or tensor.
  bool excepted(std::string_view name) const;
  // The beginning that all names share, and without which every tensor has a role, at least one of them as
  // the value of a variable. Empty if all have a role with it, or if there is no such beginning of at most 8
  // parts that end in ".".
  std::string prefix(const TensorMap& tensors) const;
  // The beginning up to the first "." of variables, such as "bert.", with which every tensor has a role, at
  // least one of them as the value of a variable. Empty if all have a role without it, or if there is no such
  // beginning. The file of a network without its last layers lacks it.
  std::string missing_prefix(const TensorMap& tensors) const;
  // Whether a variable has a name that ends so.
  bool any_ends_with(std::string_view ending) const;

 private:
  // Whether all tensors have a role under the names that `renamed` makes of theirs.
  template <class Renamed>
  bool fit(const TensorMap& tensors, const Renamed& renamed) const;
  bool fits(const TensorMap& tensors, size_t prefix) const;
  bool knows_all(const TensorMap& tensors) const;

  std::map<std::string_view, const Variable*> by_name_;
  const std::vector<std::string>& except_;
};

}  // namespace cutset
