#include "frontends/cli/train/training_steps.h"

#include <algorithm>
#include <chrono>

#include "frontends/cli/terminal.h"
#include "frontends/cli/train/epoch_summary.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point kProcessStart = Clock::now();
double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

constexpr size_t kTraceTo = 6;  // the last step that is traced; the first step is traced only if it is the only one

// One run of steps and evaluations.
class Steps {
 public:
  Steps(Session& session, const TrainingOptions& o, const TrainingData& data, const StopSignals& stop,
        Checkpoints& checkpoints, TrainingPosition& position, TrainingResult& r)
      : session_(session), o_(o), data_(data), stop_(stop), checkpoints_(checkpoints), position_(position), r_(r) {}

  // Does what run_steps() says.
  void run();

 private:
  int64_t done() const { return r_.first_step + static_cast<int64_t>(r_.loss.size()); }
  // Returns false if a signal is received meanwhile.
  bool evaluate_now();
  // Ends an epoch whose batches are complete: evaluates, and begins the next one. A signal that is received before the evaluation is
  // complete leaves the position at the end of the epoch, so that a resumed run evaluates first.
  void end_epoch();
  // Prints the line of an epoch, which is counted from 1, unless the user wants none.
  void print_epoch(int64_t epoch, bool whole);
  // Runs the rest of the current epoch.
  void run_epoch(const data::Dataset& batches);

  Session& session_;
  const TrainingOptions& o_;
  const TrainingData& data_;
  const StopSignals& stop_;
  Checkpoints& checkpoints_;
  TrainingPosition& position_;
  TrainingResult& r_;
  LearningRateSchedule schedule_;
  int64_t per_epoch_ = 0, total_ = 0;
  std::optional<Progress> progress_;  // empty with --quiet
  EpochSummary summary_;              // of the current epoch
  std::string metrics_;               // of the last evaluation
};

bool Steps::evaluate_now() {
  if (!data_.test) return true;
  auto evaluation = evaluate(session_, *data_.test, o_.common.batch, stop_);
  if (!evaluation) return false;
  evaluation->step = position_.evaluated_step = done();
  r_.evaluations.push_back(*evaluation);
  metrics_ = "; evaluation: " + evaluation->text();
  checkpoints_.after_evaluation(session_, position_, evaluation->top1.value_or(-evaluation->loss));
  return true;
}

void Steps::end_epoch() {
  if (data_.test && (stop_.received() || !evaluate_now())) return;
  ++position_.epoch, position_.batches = 0;
  print_epoch(position_.epoch, true);
}

void Steps::print_epoch(int64_t epoch, bool whole) {
  if (!progress_ || o_.common.json == "-") return;
  const int64_t epochs = (total_ + per_epoch_ - 1) / per_epoch_;
  std::string text = "epoch " + std::to_string(epoch) + " of " + std::to_string(epochs);
  if (!whole) text += ", " + std::to_string(position_.batches) + " of its " + std::to_string(per_epoch_) + " steps";
  // A run that is resumed makes only the last steps of an epoch, or none of them.
  const int64_t made = summary_.steps(), all = whole ? per_epoch_ : position_.batches;
  if (made > 0 && made < all) text += ", after the resume only the last " + std::to_string(made) + " steps";
  const std::string loss = summary_.text();
  progress_->print(text + (loss.empty() ? "" : ": " + loss) + metrics_);
}

void Steps::run() {
  const data::Dataset batches = data_.training.batch(o_.common.batch).prefetch(2);
  per_epoch_ = data_.steps_per_epoch(o_.common.batch);
  if (per_epoch_ == 0)
    raise(invalid_argument("there are " + std::to_string(batches.size()) + " samples, fewer than a batch of " +
                               std::to_string(o_.common.batch),
                           "give a smaller --batch"));
  if (position_.batches > per_epoch_)
    raise(invalid_data("the checkpoint names batch " + std::to_string(position_.batches) + " of an epoch with " +
                           std::to_string(per_epoch_) + " batches",
                       "the file is damaged; give another checkpoint"));
  r_.first_step = position_.epoch * per_epoch_ + position_.batches;
  total_ = steps_of(o_, data_);
  schedule_ = o_.rate.of_run(session_.hyper_parameter("learning_rate"), total_);
  (void)schedule_.at(0);  // throws before the first step if the schedule is invalid
  if (o_.rate.warmup_steps > total_)
    std::fprintf(stderr,
                 "note: the warm-up has %lld steps, and the run has %lld, so no step has the whole --learning-rate\n",
                 static_cast<long long>(o_.rate.warmup_steps), static_cast<long long>(total_));
  // The run that wrote the checkpoint stopped before the evaluation of an epoch that was complete, or of its last step.
  const bool ends_epoch = position_.batches == per_epoch_;
  const bool evaluates = data_.test && done() >= total_ && position_.evaluated_step < done();
  if (!o_.quiet) progress_.emplace(o_.common.model + " on " + r_.devices, total_);
  if (ends_epoch)
    end_epoch();
  else if (evaluates && evaluate_now())
    print_epoch(position_.epoch + (position_.batches > 0), position_.batches == 0);
  if (done() >= total_ && !ends_epoch && !evaluates)
    raise(invalid_argument("the run of " + std::to_string(total_) + " steps is complete: the checkpoint has step " +
                               std::to_string(r_.first_step),
                           depends_on_last_step(description(schedule_))
                               ? "begin a new run with the variables of the checkpoint by --init; the rates of "
                                 "--lr-schedule " +
                                     o_.rate.kind + " depend on the last step, so this run cannot be longer"
                               : "give more --steps or --epochs"));
  const data::Dataset rest = batches.start_at(position_.epoch, position_.batches % per_epoch_);
  while (done() < total_ && !stop_.received()) run_epoch(rest);
  r_.signal = stop_.received();
}

void Steps::run_epoch(const data::Dataset& batches) {
  const bool scheduled = schedule_.kind != LearningRateSchedule::Kind::kConstant || schedule_.warmup_steps > 0;
  const size_t trace_from = total_ - r_.first_step > 1 ? 1 : 0;
  summary_.begin();
  for (Batch& batch : batches) {
    if (!o_.trace.empty() && r_.loss.size() == trace_from) session_.start_trace();
    if (scheduled) session_.set_hyper_parameter("learning_rate", schedule_.at(done()));
    const auto start = Clock::now();
    r_.loss.push_back(session_.train(batch)["loss"].item<double>());
    r_.step_ms.push_back(seconds_since(start) * 1e3);
    summary_.add(r_.loss.back(),
                 std::min(o_.common.batch, data_.training.size() - position_.batches * o_.common.batch));
    ++position_.batches;
    const bool last = done() >= total_ || stop_.received(), whole = position_.batches == per_epoch_;
    if (!o_.trace.empty() && r_.loss.size() > trace_from &&
        (r_.loss.size() == kTraceTo || (last && r_.loss.size() < kTraceTo)))
      session_.write_trace(o_.trace);
    if (r_.loss.size() == 1) r_.first_step_s = seconds_since(kProcessStart);
    if (progress_) progress_->update(done(), "loss " + fixed(r_.loss.back(), 4) + metrics_);
    if (whole || last) summary_.end();
    if (whole)
      end_epoch();
    else if (last && !stop_.received() && evaluate_now())
      print_epoch(position_.epoch + 1, false);
    checkpoints_.after_step(session_, position_, false);
    if (!last && o_.save_every && done() % o_.save_every == 0) checkpoints_.save(session_, o_.save, position_);
    if (last || whole) return;
  }
}

}  // namespace

int64_t steps_of(const TrainingOptions& o, const TrainingData& data) {
  return o.steps ? o.steps : o.epochs * data.steps_per_epoch(o.common.batch);
}

void run_steps(Session& session, const TrainingOptions& options, const TrainingData& data, const StopSignals& stop,
               Checkpoints& checkpoints, TrainingPosition& position, TrainingResult& result) {
  Steps(session, options, data, stop, checkpoints, position, result).run();
}

}  // namespace cutset::cli
