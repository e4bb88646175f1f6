// SPDX-License-Identifier: Apache-2.0
// The option --size of commands for a model.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cutset::cli {

// The sizes that the user chooses: sizes of a built-in model, or open sizes of an ONNX model.
struct ModelSizes {
  std::vector<std::string> arguments;  // NAME=N

  void add_to(CLI::App& app);
  // Returns the sizes by name. Throws a cutset::Error if an argument is not NAME=N, or if a name is given
  // twice.
  std::map<std::string, int64_t> by_name() const;
};

}  // namespace cutset::cli
