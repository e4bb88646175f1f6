// SPDX-License-Identifier: Apache-2.0
// Finds the best evaluation of a run, and decides when early stopping ends the run.
#pragma once
#include <cutset/trainer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cutset {

// The metric of a run, and its direction.
struct ChosenMetric {
  std::string name;
  bool larger_is_better = true;

  // Returns a number that is larger for a better model. NaN stays NaN.
  double merit(double value) const { return larger_is_better ? value : -value; }
};

// Whether larger values of a metric are better, or nothing if its name does not say it.
std::optional<bool> known_direction(const std::string& name);

// Returns the metric of an evaluation that TrainerOptions::metric chooses. Throws a cutset::Error if there is
// no metric of this name, or if its direction is not known.
ChosenMetric chosen_metric(const BestMetric& metric, const std::vector<std::string>& names);

// Whether `metric` chooses the same metric as a BestMetric without a name.
bool is_default(const BestMetric& metric, const std::vector<std::string>& names);

// The state of early stopping, which checkpoints hold.
struct StoppingState {
  std::optional<double> best;  // the merit of the last evaluation that was better
  int64_t waited = 0;          // the evaluations since then
  bool stopped = false;        // whether the run has been stopped
  bool operator==(const StoppingState&) const = default;
};

// Updates the state after an evaluation with this merit.
void update(StoppingState& state, const EarlyStopping& options, double merit);

// Returns the options of early stopping as one text, for checkpoints: "none" without early stopping.
std::string description(const std::optional<EarlyStopping>& options);

}  // namespace cutset
