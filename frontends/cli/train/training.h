// SPDX-License-Identifier: Apache-2.0
// One training run.
#pragma once
#include <string>

#include "frontends/cli/train/signals.h"
#include "frontends/cli/train/trained_run.h"
#include "frontends/cli/train/training_data.h"
#include "frontends/cli/train/training_options.h"

namespace cutset::cli {

// Trains on `devices`. If a failure or a signal ends the run early, the result holds the failure or the
// signal, and the results of all completed steps. The variables are saved to --save, except in these cases:
// - Neither a step nor an evaluation was completed.
// - A value is not finite.
TrainedRun train(const TrainingOptions& options, const std::string& devices, const TrainingData& data,
                 const StopSignals& stop);

}  // namespace cutset::cli
