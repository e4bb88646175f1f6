// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/training_steps.h"

#include <algorithm>
#include <limits>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/training/run_schedule.h"

namespace cutset {

void TrainingSteps::run(bool unsaved) {
  r_.first_step = done();
  const bool ends_epoch = position_.batches == plan_.per_epoch;
  // The run that wrote the checkpoint stopped before an evaluation.
  const bool was_due = done() >= plan_.total || (o_.evaluate_every && done() % o_.evaluate_every == 0);
  const bool evaluates = o_.evaluation && done() > 0 && was_due && position_.evaluated_step < done();
  const bool complete = finished() && !ends_epoch && !evaluates;
  if (complete && !o_.checkpoints.resume && !unsaved && !position_.log.pending()) refuse_complete();
  const Status written = log_.write_pending();  // writes the record of the last step, if that failed before
  position_.log = log_.places();
  check(written);
  summary_.begin();
  if (ends_epoch)
    end_step(true);
  else if (evaluates && !position_.stopping.stopped && evaluate_now() && finished())
    report_epoch(position_.epoch + (position_.batches > 0), position_.batches == 0);
  const data::Dataset rest = plan_.batches.start_at(position_.epoch, position_.batches % plan_.per_epoch);
  while (!finished() && !stops()) run_epoch(rest);
}

void TrainingSteps::refuse_complete() const {
  const TrainerNames& n = o_.names;
  const std::string new_run = "begin a new run with the variables of the checkpoint by " + n.initial;
  const bool resumed = !o_.checkpoints.from.empty();
  if (position_.stopping.stopped)
    raise(
        invalid_argument("the run is complete: early stopping ended it after step " + std::to_string(done()),
                         resumed ? new_run : ""));
  raise(invalid_argument("the run of " + std::to_string(plan_.total) + " steps is complete" +
                             (resumed ? ": the checkpoint has step " + std::to_string(done()) : ""),
                         depends_on_last_step(description(plan_.schedule))
                             ? new_run + "; the rates of " + n.schedule + " " + name_of(plan_.schedule.kind) +
                                   " depend on the last step, so this run cannot be longer"
                             : "give more " + n.length));
}

bool TrainingSteps::evaluation_is_due(bool whole) const {
  if (!o_.evaluation || position_.evaluated_step == done()) return false;
  const bool by_interval = o_.evaluate_every ? done() % o_.evaluate_every == 0 : whole;
  return by_interval || done() >= plan_.total;
}

void TrainingSteps::run_epoch(const data::Dataset& epochs) {
  summary_.begin();
  for (Batch& batch : epochs) {
    make_step(batch);
    const bool last = done() >= plan_.total || r_.stopped, whole = position_.batches == plan_.per_epoch;
    if (last || whole) summary_.end();
    end_step(whole);
    checkpoints_.after_step(position_, false);
    if (o_.checkpoints.file_every && !last && done() % o_.checkpoints.file_every == 0)
      checkpoints_.save(o_.checkpoints.file, position_);
    if (last || whole || finished()) return;
  }
}

void TrainingSteps::set_rates(double rate) {
  session_.set_hyper_parameter("learning_rate", rate);
  for (const auto& [name, whole] : plan_.group_rates)
    session_.set_hyper_parameter(name, whole * (rate / plan_.schedule.rate));
}

void TrainingSteps::make_step(const Batch& batch) {
  // A constant rate is also set, because the session may have got another rate since the run was planned.
  if (plan_.has_rate) set_rates(plan_.schedule.at(done()));
  TrainingStep step{};
  step.learning_rate =
      plan_.has_rate ? session_.hyper_parameter("learning_rate") : std::numeric_limits<double>::quiet_NaN();
  const Clock::Time start = clock_.now();
  step.loss = session_.train(batch)["loss"].item<double>();
  step.milliseconds = std::chrono::duration<double, std::milli>(clock_.now() - start).count();
  r_.loss.push_back(step.loss);
  r_.step_ms.push_back(step.milliseconds);
  summary_.add(step.loss, std::min(o_.batch, plan_.batches.size() - position_.batches * o_.batch));
  ++position_.batches;
  step.step = done();
  step.last = done() >= plan_.total || stops();
  const Status added = log_.add(step, position_.epoch + 1);
  position_.log = log_.places();  // after a failure, they have the pending record of this step
  check(added);
  if (o_.on_step) o_.on_step(step);
}

void TrainingSteps::end_step(bool whole) {
  const bool due = evaluation_is_due(whole);
  if (due && (stops() || !evaluate_now())) return;
  if (whole) {
    ++position_.epoch;
    position_.batches = 0;
    report_epoch(position_.epoch, true);
  } else if (finished() && !stops()) {
    report_epoch(position_.epoch + 1, false);
  }
}

bool TrainingSteps::evaluate_now() {
  auto evaluation = evaluate(session_, *o_.evaluation, o_.batch, [this] { return stops(); });
  if (!evaluation) return false;
  TrainingPosition next = position_;
  evaluation->step = next.evaluated_step = done();
  const double merit = plan_.metric.merit(
      evaluation->metric(plan_.metric.name).value_or(std::numeric_limits<double>::quiet_NaN()));
  if (o_.early_stopping) update(next.stopping, *o_.early_stopping, merit);
  std::string best;
  try {
    check(log_.add(*evaluation, position_.epoch + (position_.batches > 0)));
    next.log = log_.places();
    best = checkpoints_.after_evaluation(next, merit);
  } catch (...) {
    log_.return_to(position_.log);
    throw;
  }
  position_ = next;
  r_.evaluations.push_back(*evaluation);
  if (!best.empty() && o_.on_checkpoint) o_.on_checkpoint(best);
  if (o_.on_evaluation) o_.on_evaluation(*evaluation);
  return true;
}

void TrainingSteps::report_epoch(int64_t epoch, bool whole) const {
  if (!o_.on_epoch) return;
  TrainingEpoch e{};
  e.epoch = epoch;
  e.epochs = plan_.total / plan_.per_epoch + (plan_.total % plan_.per_epoch != 0);
  e.whole_steps = plan_.per_epoch;
  e.steps = whole ? plan_.per_epoch : position_.batches;
  summary_.fill(e);
  o_.on_epoch(e);
}

}  // namespace cutset
