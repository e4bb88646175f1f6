// SPDX-License-Identifier: Apache-2.0
// The options for the optimizer, for the clipping of gradients and for averages of variables.
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
  std::map<std::string, double> hyper_parameters;              // the values that the user gives, by name
  std::optional<double> clip_norm, clip_value, average_decay;  // nothing: no clipping, no averages

  // Adds the options. Each hyper-parameter of an optimizer becomes an option.
  void add_to(CLI::App& app);
  // Returns the optimizer. Throws a cutset::Error if it does not have a given hyper-parameter.
  Optimizer chosen() const;
  // Clips the gradients of a graph, and keeps averages of its variables. "evaluate" reads the averages, and
  // so does "predict" if `has_predict` is true. Throws a cutset::Error if an option is given and the graph is
  // not trained.
  void apply(Graph& graph, bool has_predict) const;
  // Returns the optimizer with all its numbers except the learning rate, as text: "sgd, momentum 0.9".
  std::string description() const;
};

}  // namespace cutset::cli
