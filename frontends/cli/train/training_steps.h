// The steps and evaluations of a training run.
#pragma once
#include <cutset/cutset.h>

#include "frontends/cli/signals.h"
#include "frontends/cli/train/training_data.h"
#include "frontends/cli/train/training_options.h"
#include "frontends/cli/train/training_position.h"
#include "frontends/cli/train/training_result.h"

namespace cutset::cli {

// The number of steps of the whole run.
int64_t steps_of(const TrainingOptions& options, const TrainingData& data);

// Runs the epochs and their steps from the position on. The result holds those of all completed steps, even if an exception ends the run,
// and the position how far it came. Throws a cutset::Error.
void run_steps(Session& session, const TrainingOptions& options, const TrainingData& data, const StopSignals& stop,
               Checkpoints& checkpoints, TrainingPosition& position, TrainingResult& result);

}  // namespace cutset::cli
