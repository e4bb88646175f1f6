// The steps and evaluations of a training run.
#pragma once
#include <cutset/cutset.h>

#include "frontends/cli/signals.h"
#include "frontends/cli/train/checkpoints.h"
#include "frontends/cli/train/training_data.h"
#include "frontends/cli/train/training_options.h"
#include "frontends/cli/train/training_position.h"
#include "frontends/cli/train/training_result.h"

namespace cutset::cli {

// The number of steps of the whole run.
int64_t steps_of(const TrainingOptions& options, const TrainingData& data);

// Makes the steps of the run from `position` on, and evaluates after each epoch and after the last step. When it returns or throws, `result`
// has the losses and the times of all completed steps, and `position` is behind the last of them. Throws a cutset::Error if there is no
// whole batch, if the position is not in an epoch, if the run is complete already, or if a step fails.
void run_steps(Session& session, const TrainingOptions& options, const TrainingData& data, const StopSignals& stop,
               Checkpoints& checkpoints, TrainingPosition& position, TrainingResult& result);

}  // namespace cutset::cli
