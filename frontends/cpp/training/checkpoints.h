// SPDX-License-Identifier: Apache-2.0
// The checkpoints that a training run writes. A checkpoint holds the variables, the state of the optimizer,
// the number of steps, which random ops depend on, and the position in the samples. A checkpoint from which
// training cannot continue never replaces it.
#pragma once
#include <cutset/trainer.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "frontends/cpp/training/first_infinities.h"
#include "frontends/cpp/training/run_description.h"
#include "frontends/cpp/training/training_position.h"
#include "runtime/communicate/clock.h"

namespace cutset {

// Writes the checkpoints of one run: FOLDER/best.safetensors, and FOLDER/step-N.safetensors, of which the
// newest files stay. It replaces and removes only files of this run and of the run that it continues.
class Checkpoints {
 public:
  // The properties that all checkpoints of the run have, and where the run began. `session` and `first`
  // outlive the object.
  struct Begin {
    const Session& session;
    const FirstInfinities& first;
    RunDescription run;
    TrainingPosition position;
    TrainerNames names;
    std::string from;  // the checkpoint, or the folder of them, that the run continues from; empty: a new run
    // Called when a checkpoint is written from which the run continues if it is started again: a checkpoint
    // of a step in the folder, or, without a folder, a file.
    std::function<void()> on_saved = {};
  };
  // Removes the temporary files of runs that were killed while they wrote a checkpoint. `on_written` is
  // called with the path of each checkpoint of a step. Throws a cutset::Error if the folder has checkpoints
  // of another run. These are checkpoints of a later step, and, unless the run continues from one of them,
  // all checkpoints.
  Checkpoints(const CheckpointOptions& options, Begin begin,
              std::function<void(const std::string&)> on_written, const Clock& clock = Clock::real());

  // Writes a checkpoint if it is due, or if `last` is set, unless the last checkpoint has the same step and
  // position.
  void after_step(const TrainingPosition& position, bool last);
  // Writes the best checkpoint, unless there is already a better one, and notes it in `position`. `merit` is
  // larger for a better model. Returns the path of the checkpoint; empty: none was written.
  std::string after_evaluation(TrainingPosition& position, double merit);
  // Writes a checkpoint to the file `path`, which no other checkpoint replaces and no rule removes.
  void save(const std::string& path, const TrainingPosition& position) const;
  // Whether the folder has a best checkpoint.
  bool has_best() const;
  // Returns the path of the last checkpoint of a step that this run has written; empty: none.
  const std::string& last_written() const { return last_written_; }

 private:
  void write(const TrainingPosition& position);

  CheckpointOptions options_;
  Begin begin_;
  std::function<void(const std::string&)> on_written_;
  const Clock& clock_;
  std::set<uint64_t> own_;  // the steps of the files that may be replaced and removed
  bool owns_best_;
  std::string last_written_;
  Clock::Time written_;             // the time of the last checkpoint
  uint64_t last_step_;              // the step of the last checkpoint
  TrainingPosition last_position_;  // the position of the last checkpoint
};

}  // namespace cutset
