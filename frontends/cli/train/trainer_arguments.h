// SPDX-License-Identifier: Apache-2.0
// Translates the options of cutset train to the options of a Trainer.
#pragma once
#include <cutset/trainer.h>

#include "frontends/cli/train/training_data.h"
#include "frontends/cli/train/training_options.h"

namespace cutset::cli {

// Returns the options of a Trainer that trains `session` on `data`, without the functions `stop` and
// `on_...`.
TrainerOptions trainer_options(const TrainingOptions& options, const TrainingData& data,
                               const Session& session);

}  // namespace cutset::cli
