// SPDX-License-Identifier: Apache-2.0
// A function of a graph as plain data: its ops in order, with their values numbered. Code that writes graphs
// in other formats reads this form, which has no MLIR types.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/core/attributes.h"
#include "runtime/files/host_tensor.h"
#include "runtime/program/program.h"

namespace cutset {

// An op of a function. These ops are not compute ops:
// - "constant" has `elements`.
// - "read" reads `variable`.
// - "type_only" is a value of which only the type is read.
struct ListedOp {
  std::string name;  // the name of the op without "cutset."
  std::vector<int> operands, results;
  Attributes attributes;      // an attribute that is missing has its default
  std::string source, layer;  // the file and line of the user's code, and the layer; either may be empty
  std::string variable;       // for "read": the name of the variable
  std::shared_ptr<const HostTensor> elements;  // for "constant": its elements
};

// An input of a function.
struct ListedInput {
  std::string name;
  int value = 0;
  std::optional<int> batch_dimension;  // InputOptions::batch_dimension; empty for a scalar
  bool several_rows = false;           // InputOptions::several_rows_per_sample
  bool fed = false;                    // the session feeds it: the step, or a hyper-parameter
};

// A function, whose values have the numbers 0 to types.size() - 1. An op reads only inputs and results of ops
// before it.
struct ListedFunction {
  std::string name;
  bool trains = false;  // whether it makes training steps
  std::vector<ListedInput> inputs;
  std::vector<ListedOp> ops;
  std::vector<std::pair<std::string, int>> outputs;
  std::vector<TensorType> types;
  std::vector<Variable>
      variables;  // all of the graph, with the averages of weights and without states of the optimizer
};

}  // namespace cutset
