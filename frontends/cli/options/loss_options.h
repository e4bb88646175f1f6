// SPDX-License-Identifier: Apache-2.0
// The options for the cross entropy of built-in models and of ONNX models.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "frontends/cli/output/outputs.h"
#include "frontends/models/class_loss.h"

namespace cutset::cli {

struct LossOptions {
  std::optional<int64_t> ignore_index;
  std::string class_weights;  // numbers with commas between them, or a .npy file; empty: all are 1
  std::optional<double> label_smoothing;

  void add_to(CLI::App& app);
  // Adds the files that these options name to the inputs of a command.
  void add_inputs(OutputFiles& outputs) const;
  // Whether an option was given.
  bool given() const { return ignore_index || !class_weights.empty() || label_smoothing; }
  // Reads the weights. Throws a cutset::Error if they are malformed.
  models::ClassLossOptions read() const;
  // Returns the options as text, to be appended to the text of the loss: ", ignored label -100". The text is
  // empty if no option was given.
  std::string description() const;
};

}  // namespace cutset::cli
