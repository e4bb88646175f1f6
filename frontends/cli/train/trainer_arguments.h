// SPDX-License-Identifier: Apache-2.0
// What the options of cutset train mean for a Trainer.
#pragma once
#include <cutset/trainer.h>

#include "frontends/cli/train/training_data.h"
#include "frontends/cli/train/training_options.h"

namespace cutset::cli {

// The options of a Trainer that trains `session` on `data`, without its functions `stop` and `on_...`.
TrainerOptions trainer_options(const TrainingOptions& options, const TrainingData& data,
                               const Session& session);

}  // namespace cutset::cli
