// SPDX-License-Identifier: Apache-2.0
// The options for the best evaluation and for early stopping.
#pragma once
#include <cutset/trainer.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace cutset::cli {

struct StoppingOptions {
  std::string metric;               // empty: accuracy, or else the loss
  std::optional<int64_t> patience;  // nothing: no early stopping
  std::optional<double> min_delta;

  void add_to(CLI::App& app);
  // Throws a cutset::Error if an option would have no effect. `evaluates` says whether there are evaluations.
  void check_use(bool evaluates) const;
  std::optional<EarlyStopping> early_stopping() const;
};

}  // namespace cutset::cli
