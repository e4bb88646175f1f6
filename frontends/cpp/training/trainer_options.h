// SPDX-License-Identifier: Apache-2.0
// Checks of TrainerOptions.
#pragma once
#include <cutset/trainer.h>

#include <string>
#include <vector>

namespace cutset {

// Throws a cutset::Error that names the member if a member is out of its range, or if two members contradict
// each other.
void check_options(const TrainerOptions& options);

// Returns the options that determine the order of the samples, the best evaluation and the end of a run, as
// properties of the run. `metrics` are the metrics of the evaluations.
std::vector<RunProperty> properties_of_choice(const TrainerOptions& options,
                                              const std::vector<std::string>& metrics);

// Adds to `properties` the properties of `more` whose names it does not have.
void add_missing(std::vector<RunProperty>& properties, std::vector<RunProperty> more);

}  // namespace cutset
