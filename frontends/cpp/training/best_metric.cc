// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/best_metric.h"

#include <algorithm>
#include <cmath>

#include "frontends/cpp/checks/failure.h"
#include "ir/core/names.h"
#include "ir/core/number_text.h"

namespace cutset {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}
const char* default_name(const std::vector<std::string>& names) {
  return has(names, "accuracy") ? "accuracy" : "loss";
}

}  // namespace

std::optional<bool> known_direction(const std::string& name) {
  if (name == "accuracy" || name == "accuracy_top5") return true;
  return name == "loss" ? std::optional(false) : std::nullopt;
}

ChosenMetric chosen_metric(const BestMetric& metric, const std::vector<std::string>& names) {
  if (metric.name.empty() && metric.larger_is_better)
    raise(invalid_argument("metric.larger_is_better is given without a name", "give metric.name, too"));
  const std::string name = metric.name.empty() ? default_name(names) : metric.name;
  if (!has(names, name))
    raise(invalid_argument("the evaluation has no metric '" + name + "'",
                           names.empty() ? "the graph has no function 'evaluate' with a scalar output"
                                         : "its metrics are " + quoted_list(names)));
  const std::optional<bool> larger =
      metric.larger_is_better ? metric.larger_is_better : known_direction(name);
  if (!larger)
    raise(invalid_argument("it is not known whether larger values of the metric '" + name + "' are better",
                           "set metric.larger_is_better"));
  return {name, *larger};
}

bool is_default(const BestMetric& metric, const std::vector<std::string>& names) {
  if (metric.name.empty()) return true;
  return metric.name == default_name(names) &&
         (!metric.larger_is_better || metric.larger_is_better == known_direction(metric.name));
}

void update(StoppingState& state, const EarlyStopping& options, double merit) {
  const bool better = std::isfinite(merit) && (!state.best || merit - *state.best > options.min_delta);
  if (better) state.best = merit;
  state.waited = better ? 0 : std::min(state.waited, INT64_MAX - 1) + 1;  // a file may have any number
  state.stopped = state.waited >= options.patience;
}

std::string description(const std::optional<EarlyStopping>& options) {
  if (!options) return "none";
  return counted(static_cast<size_t>(options->patience), "evaluation") +
         " without an improvement of more than " + shortest_text(options->min_delta);
}

}  // namespace cutset
