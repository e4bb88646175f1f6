// SPDX-License-Identifier: Apache-2.0
// Which evaluation of a run is the best one, and when early stopping ends the run.
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

  // A number that is larger for a better model. NaN stays NaN.
  double merit(double value) const { return larger_is_better ? value : -value; }
};

// Whether larger values of a metric are better, or nothing if its name does not say it.
std::optional<bool> known_direction(const std::string& name);

// The metric that TrainerOptions::metric chooses of those that an evaluation has. Throws a cutset::Error if
// there is none of this name, or if its direction is not known.
ChosenMetric chosen_metric(const BestMetric& metric, const std::vector<std::string>& names);

// Whether `metric` chooses what a BestMetric without a name chooses.
bool is_default(const BestMetric& metric, const std::vector<std::string>& names);

// The state of early stopping, which checkpoints hold.
struct StoppingState {
  std::optional<double> best;  // the merit of the last evaluation that was better
  int64_t waited = 0;          // the evaluations since then
  bool stopped = false;        // whether the run has been stopped
  bool operator==(const StoppingState&) const = default;
};

// Takes one more evaluation with this merit into account.
void update(StoppingState& state, const EarlyStopping& options, double merit);

// The options of early stopping as one text, for checkpoints: "none" without them.
std::string description(const std::optional<EarlyStopping>& options);

}  // namespace cutset
