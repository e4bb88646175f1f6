// SPDX-License-Identifier: Apache-2.0
// How a file of variables in the safetensors format is read, and which variables of a program it sets.
#pragma once
#include <string>
#include <vector>

namespace cutset {

// How a file of variables is read.
struct VariableFileOptions {
  // The variables that keep their values. Their tensors in the file are left out, so they may have other
  // shapes. An element is the name of a variable, or the beginning of names up to a ".": "fc" stands for
  // "fc.weight" and "fc.bias". An element that fits no variable and no tensor of the file is an error.
  std::vector<std::string> except = {};
  // Whether the states of the optimizer are read. If false, the states in the file are left out with a note,
  // and all states keep their values.
  bool states = true;
};

// The result of reading a file of variables into a program.
struct LoadedVariables {
  std::vector<std::string> missing;  // the variables of the model that the file does not name, sorted
  // The states of the optimizer that the file does not name, sorted; empty if VariableFileOptions::states is
  // false.
  std::vector<std::string> missing_states;
  // The changes: one text without a full stop per kind of tensors that were left out, renamed or converted.
  std::vector<std::string> notes;

  // Whether the file named every variable and every state, except for VariableFileOptions::except.
  bool complete() const { return missing.empty() && missing_states.empty(); }
  // Returns the first variable of the model that the file does not name, or else the first state. Must not be
  // called if complete().
  const std::string& first_missing() const {
    return missing.empty() ? missing_states.front() : missing.front();
  }
};

}  // namespace cutset
