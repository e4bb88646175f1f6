// The checkpoints of cutset train. A checkpoint holds the variables, the state of the optimizer, the number of steps, which random
// ops depend on, and the position in the samples. It is never replaced by one from which training cannot continue.
#pragma once
#include <cutset/session.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "frontends/cli/train/first_infinities.h"
#include "frontends/cli/train/training_position.h"

namespace cutset::cli {

// The file from which --resume continues, as below, or nothing if the folder has none.
std::optional<std::string> find_checkpoint(const std::string& path);
// The checkpoint before the newest one in the folder `path`, or nothing if there is none or `path` is no folder.
std::optional<std::string> checkpoint_before_newest(const std::string& path);
// The file from which --resume continues: `path` itself, or the newest checkpoint in the folder `path`, or else the best one. Throws a cutset::Error if there
// is no such file, or if the folder has none.
std::string checkpoint_of(const std::string& path);

// The step for which the file `path` is named, N of step-N.safetensors, or nothing if it has another name.
std::optional<uint64_t> step_in_name(const std::string& path);

// The options for a folder of checkpoints.
struct CheckpointOptions {
  std::string folder;  // empty: no checkpoints
  int64_t every = 0;   // steps between checkpoints; 0: none by steps, and one per epoch if `minutes` is 0, too
  double minutes = 0;  // minutes between checkpoints; 0: none by time
  int64_t keep = 0;    // the newest checkpoints that stay; 0: three
  std::string resume;  // a checkpoint or a folder of them; empty: a new run

  void add_to(CLI::App& app);
  // Whether a run with these options may remove or replace the file, because it is one of the checkpoints in the folder.
  bool may_change(const std::string& file) const;
};

// Writes the checkpoints of one run: DIR/step-N.safetensors, of which the newest stay, and
// DIR/best.safetensors. It replaces and removes only files that the run has written, and those of the run
// that it continues.
class Checkpoints {
 public:
  // `first_step` and `begin` are the step and the position at which the run begins. Throws a cutset::Error if
  // the folder has checkpoints of another run: any, unless the run continues from one of them, and any of a
  // later step. Removes the temporary files of runs that were killed while they wrote a checkpoint. `first`
  // is for save_checkpoint(), and outlives the object.
  Checkpoints(const CheckpointOptions& options, uint64_t first_step, const TrainingPosition& begin,
              const FirstInfinities& first);

  // Writes a checkpoint if one is due, or if `last` is set, unless the last one is of the same step and position.
  void after_step(const Session& session, const TrainingPosition& position, bool last);
  // Writes the best checkpoint, unless there is a better one already. `metric` is larger for a better model. Notes it in `position`.
  void after_evaluation(const Session& session, TrainingPosition& position, double metric);
  // Writes a checkpoint to the file `path`, which no other checkpoint replaces and no rule removes.
  void save(const Session& session, const std::string& path, const TrainingPosition& position) const;
  // Whether the folder has a best checkpoint.
  bool has_best() const;
  // The path of the last checkpoint of a step that this run has written; empty: none.
  const std::string& last_written() const { return last_written_; }

 private:
  void write(const Session& session, const TrainingPosition& position);

  CheckpointOptions options_;
  const FirstInfinities& first_;
  std::set<uint64_t> own_;  // the steps of the files that may be replaced and removed
  bool owns_best_;
  std::string last_written_;
  using Clock = std::chrono::steady_clock;
  Clock::time_point written_ = Clock::now();  // the time of the last checkpoint
  uint64_t last_step_;                        // the step of the last checkpoint
  TrainingPosition last_position_;            // its position
};

}  // namespace cutset::cli
