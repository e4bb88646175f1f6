// SPDX-License-Identifier: Apache-2.0
// The steps and evaluations of a training run.
#pragma once
#include <cutset/trainer.h>

#include <cstdint>

#include "frontends/cpp/training/best_metric.h"
#include "frontends/cpp/training/checkpoints.h"
#include "frontends/cpp/training/epoch_summary.h"
#include "frontends/cpp/training/training_log.h"
#include "frontends/cpp/training/training_position.h"

namespace cutset {

// Makes the steps of a run from a position on, and evaluates.
class TrainingSteps {
 public:
  // The properties that do not change during a run.
  struct Plan {
    data::Dataset batches;  // the samples in their order, as batches
    int64_t per_epoch = 0;  // steps
    int64_t total = 0;      // steps of the whole run
    LearningRateSchedule schedule;
    bool has_rate = false;                      // whether there is a learning rate
    std::map<std::string, double> group_rates;  // the rates of the parameter groups that follow the schedule
    ChosenMetric metric;                        // the metric of the evaluations, if there are any
  };
  // All parameters outlive the object. After each complete step, `position` moves on. `result` gets the
  // losses and times of the steps and the evaluations, even if run() throws.
  TrainingSteps(Session& session, const TrainerOptions& options, const Plan& plan, TrainingLog& log,
                Checkpoints& checkpoints, TrainingPosition& position, TrainingResult& result,
                const Clock& clock)
      : session_(session),
        o_(options),
        plan_(plan),
        log_(log),
        checkpoints_(checkpoints),
        position_(position),
        r_(result),
        clock_(clock),
        summary_(clock) {}

  // Makes the steps that are left. Throws if the run is already complete, unless a complete run may be
  // resumed or the run is `unsaved`, which means that it could not be saved before.
  void run(bool unsaved);

 private:
  // Returns the number of steps of the run that are complete.
  int64_t done() const { return position_.epoch * plan_.per_epoch + position_.batches; }
  // Whether no step is left.
  bool finished() const { return done() >= plan_.total || position_.stopping.stopped; }
  // Returns whether the run is to stop. Does not ask again after the first yes.
  bool stops() { return r_.stopped = r_.stopped || (o_.stop && o_.stop()); }
  // Whether there is an evaluation after the last step. `whole` says whether the step ended an epoch.
  bool evaluation_is_due(bool whole) const;
  [[noreturn]] void refuse_complete() const;
  void run_epoch(const data::Dataset& epochs);
  // Gives the optimizer this rate, and multiplies the rates of the groups by the same factor.
  void set_rates(double rate);
  void make_step(const Batch& batch);
  // Makes the evaluation that is due after a step, and ends the epoch. If the run stops before the evaluation
  // is complete, the position stays at the end of the epoch, so that a resumed run evaluates first.
  void end_step(bool whole);
  // Evaluates. Returns false if the run stops meanwhile. If it throws before the evaluation is in the log and
  // the best checkpoint is written, the position stays, so that the evaluation is made again.
  bool evaluate_now();
  // Reports epoch number `epoch`, counted from 1.
  void report_epoch(int64_t epoch, bool whole) const;

  Session& session_;
  const TrainerOptions& o_;
  const Plan& plan_;
  TrainingLog& log_;
  Checkpoints& checkpoints_;
  TrainingPosition& position_;
  TrainingResult& r_;
  const Clock& clock_;
  EpochSummary summary_;  // the summary of the current epoch
};

}  // namespace cutset
