// SPDX-License-Identifier: Apache-2.0
// The reports of training runs and of memory, as JSON and as a table.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontends/cli/train/trained_run.h"
#include "frontends/cli/train/training_options.h"

namespace cutset::cli {

nlohmann::json json_of(const MemoryUse& memory);
nlohmann::json json_of(const TrainedRun& run, const TrainingOptions& options);

// Returns a table with one row per run. The losses are compared with the losses of the first run. `batch` is
// the number of samples per step.
std::string comparison(const std::vector<TrainedRun>& runs, int64_t batch);

}  // namespace cutset::cli
