// SPDX-License-Identifier: Apache-2.0
// Names of variables: which variables a user means, and which roles the tensors of a file have for a program.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/files/safetensors.h"
#include "runtime/program/program.h"

namespace cutset {

// The role of a tensor of a file for a program.
enum class TensorRole {
  kVariable,  // the value of a variable
  kExcepted,  // named by VariableFileOptions::except
  kCounter,   // a counter of PyTorch's batch normalization, which no variable stands for
  kIndices,   // the numbers 0, 1, 2 ... or zeros that embeddings of transformers save, which no variable
              // stands for
  kState,     // the state of an optimizer for a variable of the program, which has no such state
  kUnknown
};

// The names of the variables of a program. It refers to the variables and to `except`,
// VariableFileOptions::except.
class VariableNames {
 public:
  VariableNames(const std::vector<Variable>& variables, const std::vector<std::string>& except);

  TensorRole role(std::string_view name, const TensorType& type) const;
  // Returns the variable with this name, or null.
  const Variable* find(std::string_view name) const;
  // Whether an element of `except` names the variable or tensor.
  bool excepted(std::string_view name) const;
  // Returns the beginning that all names share, and without which every tensor has a role and at least one is
  // the value of a variable. A beginning has at most 8 parts that end in ".". Returns an empty text if the
  // unchanged names give every tensor a role, or if there is no such beginning.
  std::string prefix(const TensorMap& tensors) const;
  // Returns the beginning of variables up to the first ".", such as "bert.", with which every tensor has a
  // role and at least one is the value of a variable. The names in the file of a network without its last
  // layers lack this beginning. Returns an empty text if the unchanged names give every tensor a role, or if
  // there is no such beginning.
  std::string missing_prefix(const TensorMap& tensors) const;
  // Whether the name of a variable ends with `ending`.
  bool any_ends_with(std::string_view ending) const;

 private:
  // Whether all tensors have a role under the names that `renamed` makes of their names.
  template <class Renamed>
  bool fit(const TensorMap& tensors, const Renamed& renamed) const;
  bool fits(const TensorMap& tensors, size_t prefix) const;
  bool knows_all(const TensorMap& tensors) const;

  std::map<std::string_view, const Variable*> by_name_;
  const std::vector<std::string>& except_;
};

}  // namespace cutset
