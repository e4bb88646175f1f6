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
// The same program, started again after it was killed, continues from its last checkpoint. If the session,
// the samples and the options are the same, then the variables, the log and the decision to stop early are
// bitwise equal to the results of a run that was not interrupted.
//
// A Trainer belongs to one thread at a time, as its Session does; a second thread that calls run() meanwhile
// gets a cutset::Error. All callbacks are called on the thread that calls run(), while no step runs. Several
// Trainers may run at the same time if they share no session, no folder of checkpoints and no log file. All
// functions throw cutset::Error.
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

// Which checkpoints a run writes, and from which checkpoint it continues. A checkpoint is a safetensors file
// with all variables, the states of the optimizer, the number of the step, the position in the samples and
// what the run depends on. It is written atomically. A checkpoint from which training cannot continue never
// replaces it.
struct CheckpointOptions {
  // The folder of the run, which is made if it does not exist. It gets step-N.safetensors and
  // best.safetensors, the first checkpoint with the best value of TrainerOptions::metric. Only one run of all
  // processes has the folder at a time. Empty (default): no folder.
  std::string folder = {};
  int64_t every = 0;   // steps between checkpoints; 0: one per epoch if `minutes` is also 0
  double minutes = 0;  // minutes between checkpoints; 0: none by time
  int64_t keep = 3;    // how many of step-N.safetensors stay; older ones of this run are removed; at least 1
  // Continues from the newest checkpoint in `folder`. A run without a checkpoint begins anew. A run that is
  // complete makes no step, so a program may be started with the same options until the run is complete. If
  // `resume` is false, a folder that has checkpoints is refused.
  bool resume = false;
  // Continues from this checkpoint, or from the newest checkpoint in this folder. The file or folder must
  // exist. A run that is complete throws. Empty (default): `resume` decides. `from` and `resume` cannot both
  // be given.
  std::string from = {};
  // A file that gets a checkpoint at the end, when a step fails and when the run is stopped, and every
  // `file_every` steps (0: only in these cases). An existing file is replaced. Empty (default): none.
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
  // Whether larger values are better. Default: true for "accuracy" and "accuracy_top5", and false for "loss".
  // It must be given for other metrics.
  std::optional<bool> larger_is_better = {};
};

// Ends a run whose evaluations get no better (Prechelt, "Early Stopping - But When?", 1998), as Keras does.
struct EarlyStopping {
  // The number of consecutive evaluations that are not better than the best evaluation before them, after
  // which the run stops. At least 1.
  int64_t patience = 3;
  // How much better than the best evaluation before it an evaluation must be to count as better; at least 0.
  // A value that is equal, NaN or infinite is not better.
  double min_delta = 0;
  // Whether the session gets the variables of best.safetensors when the run is complete, even if it was not
  // stopped early. It needs CheckpointOptions::folder.
  bool restore_best = false;
};

// Where a run records its metrics. Each record is in the file when the next step begins, so a process that is
// killed loses none. A record that cannot be written is kept in the checkpoint, and is written when the run
// goes on. A run that is resumed removes the records after its checkpoint and continues the files. A file
// that another run has written is refused. If the file is missing, a new file begins. Only one run of all
// processes has a file at a time.
//
// Until a checkpoint of the run holds its place in a log, a small file beside the log names the run. Its name
// is the name of the log followed by ".run", or .events.run for TensorBoard. A run that was killed before its
// first checkpoint, and is started again with the same options, finds its log by this file and begins the log
// again. The run must write checkpoints.
struct LogOptions {
  // A table with the columns step, epoch, loss, learning_rate, and "evaluation/NAME" per metric. Each step is
  // a row. Each evaluation is a row after the row of its step. Cells that do not apply are empty. Steps and
  // epochs count from 1. Numbers are written so that they are read as the same number again. The folder of
  // the file must exist, unless it is the folder of the checkpoints or of TensorBoard. Empty (default): no
  // table.
  std::string csv = {};
  // A folder for TensorBoard, which is made if it does not exist. It gets the file events.out.tfevents.cutset
  // with the tags "loss", "learning_rate" and "evaluation/NAME". Empty (default): no file.
  std::string tensorboard = {};
  int64_t every = 1;  // the steps between two records of a step; at least 1. Evaluations are always recorded.
};

// A further property that a run depends on. A checkpoint holds it as the note "train.NAME". A run that is
// resumed with another value is refused: "'FILE' was made with WHAT VALUE, and this run has OTHER (HINT)".
struct RunProperty {
  std::string name, value;
  std::string what, hint;  // the words of the error; empty: the name, and no hint
  // The value of runs whose checkpoints lack the note. If it is not empty, a checkpoint has no note for this
  // value.
  std::string by_default = {};
  // Whether the property is compared only if the checkpoint has the note. A run may then be continued without
  // the property, or from a run that did not have it.
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

// An epoch that is complete, or the part of an epoch with which the run ends.
struct TrainingEpoch {
  int64_t epoch, epochs;       // its number, from 1 on, and the number of epochs of the run
  int64_t steps, whole_steps;  // the complete steps of the epoch, and the steps of a whole epoch
  int64_t made;                // the steps that this run() has made; fewer after it was resumed
  double loss;                 // the mean over the samples of these steps; NaN if there are none
  int64_t samples;             // the samples of these steps
  double seconds;              // the time of these steps and of reading the samples, without the evaluation
};

// How a session is trained.
struct TrainerOptions {
  int64_t batch = 0;   // samples per step, at least 1; it must be given
  int64_t epochs = 1;  // the length of the run, with the steps before it was resumed
  int64_t steps = 0;   // the length in steps; 0 (default): it follows from `epochs`
  // Whether each epoch has another order of the samples, a function of `seed` and the number of the epoch. If
  // false, the data set, which may be shuffled, determines the order.
  bool shuffle = true;
  uint64_t seed = 0;
  // Whether samples at the end of an epoch that do not fill a batch are left out. By default, they are a
  // smaller batch.
  bool drop_remainder = false;
  int64_t prefetch = 2;  // how many batches a second thread makes ahead, at least 1
  // The learning rate of each step. If `total_steps` is 0, the last step of the run has `final_rate`. A
  // schedule multiplies the rate of each parameter group by the same factor: the rate of the step divided by
  // `rate`. Default: all steps have the rate that the session has when the Trainer is made.
  std::optional<LearningRateSchedule> schedule = {};
  // The samples on which the model is evaluated after the last step, and also after each epoch, or, if
  // `evaluate_every` is not 0, after each `evaluate_every` steps. Default: there is no evaluation.
  std::optional<data::Dataset> evaluation = {};
  int64_t evaluate_every = 0;
  CheckpointOptions checkpoints = {};
  BestMetric metric = {};
  std::optional<EarlyStopping> early_stopping = {};  // needs `evaluation`
  LogOptions log = {};
  // What the run depends on in addition to the options above, the graph and the hyper-parameters of its
  // optimizer. A property replaces the property of the Trainer with the same name. The Trainer has
  // "optimizer"; "order", the order of the samples and whether an epoch has all of them; and the checksums
  // "all_samples" and "evaluation".
  std::vector<RunProperty> properties = {};
  // Whether checkpoints hold checksums of the samples and of the samples for the evaluation, so that a run
  // that is resumed with other samples is refused. A run may be resumed without an evaluation, or with a
  // first one. When the Trainer is made, it reads the samples of the first epoch once for the checksums, in
  // the order of the data set.
  bool check_samples = true;
  TrainerNames names = {};

  // Returns whether the run is to stop. It is asked after each step and after each batch of an evaluation. If
  // it returns true, the state is saved as at the end, and run() returns.
  std::function<bool()> stop = {};
  // Called after a step; after an evaluation; after an epoch with its evaluation; and after a checkpoint of
  // the folder was written to the path. A callback may read and evaluate the session, and must not train it
  // or call run(). If a callback throws, the run ends as if a step had failed: the state after the last step
  // is saved, and run() throws.
  std::function<void(const TrainingStep&)> on_step = {};
  std::function<void(const Evaluation&)> on_evaluation = {};
  std::function<void(const TrainingEpoch&)> on_epoch = {};
  std::function<void(const std::string& path)> on_checkpoint = {};
  // Gets each note about an unexpected state, in one line. Empty (default): the note is printed on standard
  // error, as a line "note: TEXT".
  std::function<void(const std::string&)> on_note = {};
};

// The result of a call of Trainer::run.
struct TrainingResult {
  int64_t first_step = 0;               // the steps of the run that were complete before the call
  std::vector<double> loss, step_ms;    // per step; times in milliseconds
  std::vector<Evaluation> evaluations;  // in their order
  std::optional<double> best;           // the best value of TrainerOptions::metric in the whole run
  bool stopped = false;                 // whether TrainerOptions::stop ended it
  bool stopped_early = false;           // whether early stopping ended the run, now or before it was resumed
  std::string saved_to;                 // the newest file with the variables of the last step; empty: none
};

// Trains a session. A Trainer can be moved but not copied; every use of a Trainer that was moved from throws.
class Trainer {
 public:
  // Prepares a run: checks the options, takes the folder, reads the checkpoint that the run continues from
  // into the session, and opens the log. Without such a checkpoint, the run begins with the variables and the
  // step that the session has. `session` must outlive the Trainer, and must not be moved. Labels that the
  // model does not have are found when they are read if the data sets have been mapped by
  // data::check_label_ranges. Throws in these cases, after which the session may have the variables of the
  // checkpoint:
  // - An option is out of its range.
  // - The session has no function "train" or no metric of the given name.
  // - A file cannot be written or belongs to another run.
  // - The checkpoint is damaged or belongs to a run that differs.
  Trainer(Session& session, data::Dataset samples, TrainerOptions options);
  // Releases the folder.
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  // Releases the folder of the Trainer that this object held, and moves the other Trainer into it.
  Trainer& operator=(Trainer&&) noexcept;

  // Makes the steps that are left, and returns their result. After a stop or a failure, another call goes on.
  // At the end, and after a failure, it writes a checkpoint, unless nothing has changed. If a step, an
  // evaluation, a callback or a file fails, run() throws that error. If the state then cannot be saved, this
  // second failure is a note. Throws if the run was complete before, unless CheckpointOptions::resume is
  // true.
  TrainingResult run();
  // Returns the result of the last call of run(), even if that call threw.
  const TrainingResult& result() const;

  // Return the number of complete steps of the run, the number of all its steps, and the number of steps per
  // epoch.
  int64_t step() const;
  int64_t steps() const;
  int64_t steps_per_epoch() const;

 private:
  struct Impl;
  Handle<Impl> impl_;
};

}  // namespace cutset
