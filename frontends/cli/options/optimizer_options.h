// SPDX-License-Identifier: Apache-2.0
// The options for the optimizer, and for what surrounds it: clipping of gradients, and averages of variables.
#pragma once
#include <cutset/graph.h>
#include <cutset/optimizers.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

namespace cutset::cli {

struct OptimizerOptions {
  std::string name = "sgd";
  std::map<std::string, double> hyper_parameters;              // those that the user gives, by their names
  std::optional<double> clip_norm, clip_value, average_decay;  // nothing: no clipping, no averages

  // Adds the options. Each hyper-parameter of an optimizer becomes an option.
  void add_to(CLI::App& app);
  // Returns the optimizer. Throws a cutset::Error if it does not have a given hyper-parameter.
  Optimizer chosen() const;
  // Clips the gradients of a graph, and keeps averages of its variables, which "evaluate" and, if the graph
  // has it, "predict" read. Throws a cutset::Error if an option is given and the graph is not trained.
  void apply(Graph& graph, bool has_predict) const;
  // The optimizer with all its numbers except the learning rate: "sgd, momentum 0.9".
  std::string description() const;
};

}  // namespace cutset::cli
