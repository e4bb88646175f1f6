// SPDX-License-Identifier: Apache-2.0
// The option --size of commands for a model.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cutset::cli {

// The sizes of a model that the user chooses: those that a built-in model offers, or those that an ONNX model
// leaves open.
struct ModelSizes {
  std::vector<std::string> arguments;  // NAME=N

  void add_to(CLI::App& app);
  // Returns the sizes by name. Throws a cutset::Error if an argument is not NAME=N, or if a name is given
  // twice.
  std::map<std::string, int64_t> by_name() const;
};

}  // namespace cutset::cli
