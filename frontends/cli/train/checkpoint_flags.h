// SPDX-License-Identifier: Apache-2.0
// The options for checkpoints.
#pragma once
#include <cutset/trainer.h>

#include <CLI/CLI.hpp>

namespace cutset::cli {

// CheckpointOptions without its members `resume` and `lock`. A run has its own copy.
struct CheckpointFlags : CheckpointOptions {
  CLI::Option* keep_option = nullptr;  // tells whether the user gave --keep

  // Adds the options to a subcommand.
  void add_to(CLI::App& app);
  // Throws a cutset::Error if an option would have no effect.
  void check_use() const;
};

}  // namespace cutset::cli
