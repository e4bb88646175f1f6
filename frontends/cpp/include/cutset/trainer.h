// SPDX-License-Identifier: Apache-2.0
// Training in epochs, with checkpoints, evaluation, early stopping, a schedule of the learning rate and a
// log.
//
//   Session session = compile(graph);
//   Trainer trainer(session, data::fashion_mnist("train"), {
//       .batch = 64, .epochs = 20, .evaluation = data::fashion_mnist("test"),
//       .checkpoints = {.folder = "run1", .resume = true},
//       .early_stopping = EarlyStopping{.patience = 3},
//       .log = {.csv = "run1/log.csv", .tensorboard = "run1"}});
//   const TrainingResult result = trainer.run();
//
// The same program, started again after it was killed, continues from its last checkpoint. Its variables, its
// log and its decision to stop early are then bitwise equal to those of a run that was not interrupted, if
// the session, the samples and the options are the same.
//
// A Trainer belongs to one thread at a time, as its Session does; a second thread that calls run() meanwhile
// gets a cutset::Error. All callbacks are called on the thread that calls run(), while no step runs. Several
// Trainers may run at the same time if each has a session, a folder of checkpoints and log files of its own.
// All functions throw cutset::Error.
#pragma once
#include <cutset/data.h>
#include <cutset/evaluation.h>
#include <cutset/learning_rate_schedule.h>
#include <cutset/session.h>
#include <cutset/trainer_names.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cutset {

class FolderLock;

// Which checkpoints a run writes, and from which one it continues. A checkpoint is a safetensors file with
// all variables, the states of the optimizer, the number of the step, the position in the samples and what
// the run depends on. It is written atomically, and never replaced by one from which training cannot
// continue.
struct CheckpointOptions {
  // The folder of the run, which is made if it does not exist. It gets step-N.safetensors and
  // best.safetensors, the first checkpoint with the best value of TrainerOptions::metric. One run has the
  // folder at a time, also among processes. Empty (default): no folder.
  std::string folder = {};
  int64_t every = 0;   // steps between checkpoints; 0: one per epoch if `minutes` is 0, too
  double minutes = 0;  // minutes between checkpoints; 0: none by time
  int64_t keep = 3;    // how many of step-N.safetensors stay; older ones of this run are removed; at least 1
  // Continues from the newest checkpoint in `folder`. A run without a checkpoint begins anew, and a run that
  // is complete makes no step, so a program may be started with the same options until it is complete.
  // Without it, a folder that has checkpoints is refused.
  bool resume = false;
  // Continues from this checkpoint, or from the newest one in this folder, which must exist. A run that is
  // complete throws. Empty (default): `resume` decides. It cannot be given beside `resume`.
  std::string from = {};
  // A file that gets a checkpoint at the end, when a step fails and when the run is stopped, and every
  // `file_every` steps (0: not before). It is replaced if it exists. Empty (default): none.
  std::string file = {};
  int64_t file_every = 0;
  // The lock of `folder`, if the caller has taken it before. Only the programs of this library use it.
  std::shared_ptr<FolderLock> lock = {};
};

// The metric of the evaluations by which models are compared.
struct BestMetric {
  // The name of a metric (<cutset/evaluation.h>). Empty (default): "accuracy", or "loss" if there is no
  // accuracy.
  std::string name = {};
  // Whether larger values are better. By default, they are for "accuracy" and "accuracy_top5", and smaller
  // ones are for "loss". It must be given for other metrics.
  std::optional<bool> larger_is_better = std::nullopt;
};

// Ends a run whose evaluations get no better (Prechelt, "Early Stopping - But When?", 1998), as Keras does.
struct EarlyStopping {
  // The run stops at this number of evaluations in a row that are not better than the best one before. At
  // least 1.
  int64_t patience = 3;
  // How much better than the best one before an evaluation must be to count as better; at least 0. A value
  // that is equal, NaN or infinite is not better.
  double min_delta = 0;
  // Whether the session gets the variables of best.safetensors when the run is complete, also if it was not
  // stopped early. It needs CheckpointOptions::folder.
  bool restore_best = false;
};

// Where a run records its metrics. Each record is in the file when the next step begins, so a process that is
// killed loses none. A record that cannot be written is in the checkpoint, and is written when the run goes
// on. A run that is resumed cuts off the records behind its checkpoint, and continues the files. A file that
// another run has written is refused. If the file is missing, a new one begins. One run has a file at a time,
// also among processes.
//
// Until a checkpoint of the run holds its place in a log, a small file beside the log, named as the log with
// ".run" behind it, or .events.run for TensorBoard, names the run. A run that was killed before knows its log
// by it when it is started again with the same options, and begins the log again. It must write checkpoints.
struct LogOptions {
  // A table with the columns step, epoch, loss, learning_rate, and "evaluation/NAME" per metric. A step is a
  // row, and so is an evaluation, behind the row of its step; cells that do not apply are empty. Steps and
  // epochs count from 1. Numbers are written so that they are read as the same number again. The folder of
  // the file must exist, unless it is that of the checkpoints or of TensorBoard. Empty (default): no table.
  std::string csv = {};
  // A folder for TensorBoard, which is made if it does not exist. It gets the file events.out.tfevents.cutset
  // with the tags "loss", "learning_rate" and "evaluation/NAME". Empty (default): no file.
  std::string tensorboard = {};
  int64_t every = 1;  // the steps between two records of a step; at least 1. Evaluations are always recorded.
};

// One more thing that a run depends on. A checkpoint holds it as the note "train.NAME", and a run that is
// resumed with another value is refused: "'FILE' was made with WHAT VALUE, and this run has OTHER (HINT)".
struct RunProperty {
  std::string name, value;
  std::string what, hint;  // the words of the error; empty: the name, and no hint
  // The value of runs whose checkpoints lack the note. If it is not empty, the note is left out for this
  // value.
  std::string by_default = {};
  // Whether it is compared only if the checkpoint has the note, so that a run may be continued without it, or
  // from a run that did not have it.
  bool optional = false;
};

// A step that is complete.
struct TrainingStep {
  int64_t step;          // its number in the run, from 1 on
  double loss;           // the output "loss" of "train"
  double learning_rate;  // of this step; NaN if the graph has no hyper-parameter of this name
  double milliseconds;   // the time of Session::train
  bool last;             // whether the run has all its steps, or was asked to stop
};

// An epoch that is complete, or the part of one with which the run ends.
struct TrainingEpoch {
  int64_t epoch, epochs;       // its number, from 1 on, and the number of epochs of the run
  int64_t steps, whole_steps;  // how many of its steps are complete, and how many a whole epoch has
  int64_t made;                // how many of them this run() has made; fewer after it was resumed
  double loss;                 // the mean over the samples of these steps; NaN without any
  int64_t samples;             // the samples of these steps
  double seconds;              // their time with that of reading the samples, and without the evaluation
};

// How a session is trained.
struct TrainerOptions {
  int64_t batch = 0;   // samples per step, at least 1; it must be given
  int64_t epochs = 1;  // the length of the run, with the steps before it was resumed
  int64_t steps = 0;   // the length in steps; 0 (default): it follows from `epochs`
  // Whether each epoch has its own order of the samples, a function of `seed` and the number of the epoch. If
  // not, the order is that of the data set, which may be shuffled itself.
  bool shuffle = true;
  uint64_t seed = 0;
  // Whether samples at the end of an epoch that do not fill a batch are left out. By default, they are a
  // smaller batch.
  bool drop_remainder = false;
  int64_t prefetch = 2;  // how many batches a second thread makes ahead, at least 1
  // The learning rate of each step. If `total_steps` is 0, the last step of the run has `final_rate`.
  // Default: the rate that the session has when the Trainer is made, for all steps. A schedule multiplies the
  // rate of each parameter group by the same factor: that of the step divided by `rate`.
  std::optional<LearningRateSchedule> schedule = std::nullopt;
  // The samples on which the model is evaluated after each epoch, or, if `evaluate_every` is not 0, after
  // each `evaluate_every` steps, and after the last step. Default: there is no evaluation.
  std::optional<data::Dataset> evaluation = std::nullopt;
  int64_t evaluate_every = 0;
  CheckpointOptions checkpoints = {};
  BestMetric metric = {};
  std::optional<EarlyStopping> early_stopping = std::nullopt;  // needs `evaluation`
  LogOptions log = {};
  // What the run depends on beside the options above, the graph and the hyper-parameters of its optimizer. A
  // property with the name of one that the Trainer has replaces it: "optimizer", "order", the order of the
  // samples and whether an epoch has all of them, and the checksums "all_samples" and "evaluation".
  std::vector<RunProperty> properties = {};
  // Whether checkpoints hold checksums of the samples and of those for the evaluation, so that a run that is
  // resumed with other samples is refused. A run may be resumed without an evaluation, or with a first one.
  // The samples of the first epoch are read once for the checksums when the Trainer is made, in the order of
  // the data set.
  bool check_samples = true;
  TrainerNames names = {};

  // Returns whether the run is to stop. It is asked after each step and each batch of an evaluation. The
  // state is then saved as at the end, and run() returns.
  std::function<bool()> stop = {};
  // Called after a step, after an evaluation, after an epoch with its evaluation, and after a checkpoint of
  // the folder was written to the path. If a callback throws, the run ends as if a step had failed: the state
  // behind the last step is saved, and run() throws. A callback may read and evaluate the session, and must
  // not train it or call run().
  std::function<void(const TrainingStep&)> on_step = {};
  std::function<void(const Evaluation&)> on_evaluation = {};
  std::function<void(const TrainingEpoch&)> on_epoch = {};
  std::function<void(const std::string& path)> on_checkpoint = {};
  // Gets what may not be expected, as a text in one line. Empty (default): it is printed on standard error,
  // as a line "note: TEXT".
  std::function<void(const std::string&)> on_note = {};
};

// What a call of Trainer::run has done.
struct TrainingResult {
  int64_t first_step = 0;               // the steps of the run that were complete before
  std::vector<double> loss, step_ms;    // per step; times in milliseconds
  std::vector<Evaluation> evaluations;  // in their order
  std::optional<double> best;           // the best value of TrainerOptions::metric in the whole run
  bool stopped = false;                 // whether TrainerOptions::stop ended it
  bool stopped_early = false;           // whether early stopping ended the run, now or before it was resumed
  std::string saved_to;                 // the newest file with the variables of the last step; empty: none
};

// Trains a session. It may be moved and not copied; every use of one that was moved from throws.
class Trainer {
 public:
  // Prepares a run: checks the options, takes the folder, reads the checkpoint that the run continues from
  // into the session, and opens the log. Without such a checkpoint, the run begins with the variables and the
  // step that the session has. `session` must outlive the Trainer, and must not be moved. Labels that the
  // model does not have are found when they are read if the data sets have been mapped by
  // data::check_label_ranges. Throws if an option is out of its range, if the session has no function "train"
  // or no metric of the given name, if a file cannot be written or belongs to another run, or if the
  // checkpoint is damaged or is that of a run that differs. The session may then have the variables of the
  // checkpoint.
  Trainer(Session& session, data::Dataset samples, TrainerOptions options);
  // Releases the folder.
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  // Releases the folder of the Trainer that this one was before.
  Trainer& operator=(Trainer&&) noexcept;

  // Makes the steps that are left, and returns what it did. After a stop or a failure, another call goes on.
  // At the end, and after a failure, it writes a checkpoint, unless nothing has changed. If a step, an
  // evaluation, a callback or a file fails, it throws that error; failures to save the state behind it are
  // notes. Throws if the run was complete before, unless CheckpointOptions::resume is true.
  TrainingResult run();
  // What the last call of run() has done, also if it threw.
  const TrainingResult& result() const;

  // The steps of the run that are complete, the number of all its steps, and the number of steps per epoch.
  int64_t step() const;
  int64_t steps() const;
  int64_t steps_per_epoch() const;

 private:
  struct Impl;
  Handle<std::unique_ptr<Impl>> impl_;
};

}  // namespace cutset
