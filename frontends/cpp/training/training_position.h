// SPDX-License-Identifier: Apache-2.0
// The position of a training run in its samples, as notes of a checkpoint.
#pragma once
#include <cutset/session.h>

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/cpp/training/best_metric.h"
#include "frontends/cpp/training/first_infinities.h"
#include "frontends/cpp/training/run_description.h"
#include "frontends/cpp/training/training_log.h"

namespace cutset {

// The progress of a training run.
struct TrainingPosition {
  uint64_t first_step = 0;      // the step of the session at which the run began
  int64_t epoch = 0;            // the epochs that are complete
  int64_t batches = 0;          // the batches of the next epoch that are complete
  double best = 0;              // the largest merit of an evaluation so far, if there was one
  bool evaluated = false;       // whether there was an evaluation with a finite metric
  int64_t evaluated_step = -1;  // the steps that were complete at the last evaluation; -1: there was none
  StoppingState stopping;
  LogPlaces log;
  bool operator==(const TrainingPosition&) const = default;
};

// Writes the variables of `session`, the position and the description of the run to `path`. Throws a
// cutset::Error, and leaves an existing file unchanged, if an element of a variable is not finite and has
// changed since `first` noted it.
void save_checkpoint(const Session& session, const std::string& path, const TrainingPosition& position,
                     const RunDescription& run, const FirstInfinities& first, const TrainerNames& names);

// Reads the position from the notes of a checkpoint. Throws a cutset::Error if the file has none, if an older
// version wrote it, or if it belongs to another run than `run`, because the run would not be continued.
// RunDescription::require_network() compares the network.
TrainingPosition read_position(const std::string& path, const Notes& notes, const RunDescription& run,
                               const TrainerNames& names);

// Checks the step `step` of the checkpoint `path`. Throws a cutset::Error if the position `read` of the
// checkpoint implies another step, or if the file is named for another step, `named`. An epoch has
// `per_epoch` steps.
void check_step(const std::string& path, const TrainingPosition& read, int64_t per_epoch, uint64_t step,
                std::optional<uint64_t> named);

}  // namespace cutset
