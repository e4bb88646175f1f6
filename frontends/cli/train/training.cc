#include "frontends/cli/train/training.h"

#include <cutset/label_ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <sstream>

#include "frontends/cli/outputs.h"
#include "frontends/cli/terminal.h"
#include "frontends/cli/train/epoch_summary.h"
#include "frontends/cli/train/sample_hash.h"
#include "frontends/cpp/failure.h"
#include "frontends/cpp/function_inputs.h"
#include "runtime/abi/cache_file.h"
#include "runtime/data/order.h"

namespace cutset::cli {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point kProcessStart = Clock::now();
double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

constexpr size_t kTraceTo = 6;  // the last step that is traced; the first step is traced only if it is the only one

int kinds_of(const std::string& devices) {
  std::set<std::string> kinds;
  std::stringstream list(devices);
  for (std::string name; std::getline(list, name, ',');) kinds.insert(name.substr(0, name.find(':')));
  return static_cast<int>(kinds.size());
}

// The number of steps of the whole run.
int64_t steps_of(const TrainingOptions& o, const TrainingData& data) {
  return o.steps ? o.steps : o.epochs * data.steps_per_epoch(o.common.batch);
}

// One run of steps and evaluations.
class Steps {
 public:
  Steps(Session& session, const TrainingOptions& o, const TrainingData& data, const StopSignals& stop,
        Checkpoints& checkpoints, TrainingPosition& position, TrainingResult& r)
      : session_(session), o_(o), data_(data), stop_(stop), checkpoints_(checkpoints), position_(position), r_(r) {}

  // Runs the epochs and their steps from the position on. The result holds those of all completed steps, even if an exception ends
  // the loop, and the position how far it came.
  void run();

 private:
  int64_t done() const { return r_.first_step + static_cast<int64_t>(r_.loss.size()); }
  // Returns false if a signal is received meanwhile.
  bool evaluate_now();
  // Ends an epoch whose batches are complete: evaluates, and begins the next one. Returns false, and leaves the position at the end
  // of the epoch, if a signal is received meanwhile.
  bool end_epoch();
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
  evaluation->step = done();
  r_.evaluations.push_back(*evaluation);
  metrics_ = "; evaluation: " + evaluation->text();
  checkpoints_.after_evaluation(session_, position_, evaluation->top1.value_or(-evaluation->loss));
  return true;
}

bool Steps::end_epoch() {
  if (stop_.received() || !evaluate_now()) return false;
  ++position_.epoch, position_.batches = 0;
  print_epoch(position_.epoch, true);
  return true;
}

void Steps::print_epoch(int64_t epoch, bool whole) {
  if (!progress_ || o_.common.json == "-") return;
  const int64_t epochs = (total_ + per_epoch_ - 1) / per_epoch_;
  std::string text = "epoch " + std::to_string(epoch) + " of " + std::to_string(epochs);
  if (!whole) text += ", " + std::to_string(position_.batches) + " of its " + std::to_string(per_epoch_) + " steps";
  const std::string loss = summary_.text();  // empty if the run that was resumed has made all steps of the epoch
  progress_->print(text + (loss.empty() ? "" : ": " + loss) + metrics_);
}

void Steps::run() {
  const data::Dataset batches = data_.training.batch(o_.common.batch).prefetch(2);
  per_epoch_ = data_.steps_per_epoch(o_.common.batch);
  if (per_epoch_ == 0)
    raise(invalid_argument("there are " + std::to_string(batches.size()) + " samples, fewer than a batch",
                           "give a smaller --batch"));
  if (position_.batches > per_epoch_)
    raise(invalid_data("the checkpoint names batch " + std::to_string(position_.batches) + " of an epoch with " +
                           std::to_string(per_epoch_) + " batches",
                       "the file is damaged; give another checkpoint"));
  r_.first_step = position_.epoch * per_epoch_ + position_.batches;
  total_ = steps_of(o_, data_);
  schedule_ = o_.rate.of_run(session_.hyper_parameter("learning_rate"), total_);
  (void)schedule_.at(0);  // throws before the first step if the schedule is invalid
  // The run that wrote the checkpoint stopped before the evaluation of an epoch that was complete.
  const bool evaluates = position_.batches == per_epoch_;
  if (!o_.quiet) progress_.emplace(o_.common.model + " on " + r_.devices, total_);
  if (evaluates) end_epoch();
  if (done() >= total_ && !evaluates)
    raise(invalid_argument("the run of " + std::to_string(total_) + " steps is complete: the checkpoint has step " +
                               std::to_string(r_.first_step),
                           "give more --steps or --epochs"));
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
    if (!last && o_.save_every && done() % o_.save_every == 0) save_checkpoint(session_, o_.save, position_);
    if (last || whole) return;
  }
}

// Says how many samples an ONNX model leaves out, because it runs with one number of samples only.
void note_left_out(const data::Dataset& samples, const char* what, int64_t batch) {
  const int64_t left_out = samples.size() % batch;
  if (left_out == 0 || samples.size() < batch) return;
  std::fprintf(stderr,
               "note: %lld of the %lld samples for %s are left out, because an ONNX model runs with whole batches "
               "of %lld samples only (a --batch that divides the number of samples leaves none out)\n",
               static_cast<long long>(left_out), static_cast<long long>(samples.size()), what,
               static_cast<long long>(batch));
}

// The samples without those at the end that do not fill a batch.
data::Dataset whole_batches(const data::Dataset& all, int64_t batch) {
  std::vector<int64_t> samples(static_cast<size_t>(all.size() / batch * batch));
  if (samples.empty())
    raise(invalid_argument("there are " + std::to_string(all.size()) + " samples for evaluation, fewer than a batch",
                           "give a smaller --batch"));
  std::iota(samples.begin(), samples.end(), int64_t{0});
  return all.order(std::move(samples));
}

}  // namespace

std::string TrainingResult::failed() const {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}
double TrainingResult::median_ms() const {
  std::vector<double> t(step_ms.begin() + (step_ms.size() > 1), step_ms.end());
  if (t.empty()) return 0;
  std::nth_element(t.begin(), t.begin() + static_cast<int64_t>(t.size() / 2), t.end());
  return t[t.size() / 2];
}
double TrainingResult::min_ms() const {
  return step_ms.empty() ? 0 : *std::min_element(step_ms.begin() + (step_ms.size() > 1), step_ms.end());
}

int64_t TrainingData::steps_per_epoch(int64_t batch) const {
  return whole_batches ? training.size() / batch : training.batch(batch).batches();
}

TrainingData read_training_data(const TrainingOptions& o) {
  const CommonOptions& c = o.common;
  const bool imported = is_onnx(c.model);
  const Graph graph = imported ? Graph() : c.graph();  // the inputs of an ONNX model are checked when it runs
  TrainingData made{o.samples.training(graph, c.seed), {}, imported, {}, {}};
  made.source = o.samples.description();
  if (!(o.save + o.checkpoints.folder + o.checkpoints.resume).empty()) made.contents = hash_of_samples(made.training);
  if (!o.order.empty()) {
    std::vector<int64_t> order = check(read_order(o.order));
    const std::string bytes(reinterpret_cast<const char*>(order.data()), order.size() * sizeof order[0]);
    made.source += ", the order " + std::to_string(abi::hash_of(bytes));
    made.training = made.training.order(std::move(order));
  }
  if (!o.evaluate) return made;
  made.test = o.samples.test(graph);
  return made;
}

TrainingResult train(const TrainingOptions& o, const std::string& devices, const TrainingData& data,
                     const StopSignals& stop) {
  const CommonOptions& c = o.common;
  TrainingResult r;
  r.devices = devices;
  try {
    const Graph graph = is_onnx(c.model) ? o.onnx.graph(read_onnx(c.model, c.batch, c.sizes), data.training, c.batch,
                                                        c.chosen_optimizer())
                                         : c.graph();
    TrainingData own = data;
    check_samples(graph, [&] { return inputs_of_function(graph, "train"); }, own.training);
    if (own.test)
      check_samples(graph, [&] { return inputs_of_function(graph, "evaluate"); }, *own.test, "--test-samples");
    if (own.test && own.whole_batches) own.test = whole_batches(*own.test, c.batch);
    Session session = compile(graph, c.compile_options(devices));
    TrainingPosition position{
        .batch = c.batch,
        .samples = data.training.size(),
        .seed = c.seed,
        .source = data.source,
        .contents = data.contents,
        .rate = description(o.rate.of_run(session.hyper_parameter("learning_rate"), steps_of(o, data)))};
    if (!o.init.file.empty()) note_loaded(o.init.file, session.load(o.init.file, o.init.read));
    if (!o.checkpoints.resume.empty()) {
      const std::string path = checkpoint_of(o.checkpoints.resume);
      position = read_position(path, position);
      const LoadedVariables loaded = session.load(path);
      if (!loaded.complete())
        raise(invalid_argument(
            "'" + path + "' has no variable '" + loaded.first_missing() + "', so training cannot be resumed",
            "give the model and the optimizer of the first run"));
      note_loaded(path, loaded);
    }
    Checkpoints checkpoints(o.checkpoints, session.step());
    if (!checkpoints.has_best()) position.evaluated = false;
    if (own.whole_batches) note_left_out(own.training, "each epoch of training", c.batch);
    if (own.whole_batches && data.test) note_left_out(*data.test, "each evaluation", c.batch);
    print_warnings(session.warnings());
    for (const std::string& topic : c.log) std::fputs(printable(session.log(topic), true).c_str(), stderr);
    if (!c.dot.empty()) write_picture(c.dot, session.dot(c.dot_level == "layer"));
    r.strategy = session.strategy();
    if (c.compile.deterministic && kinds_of(devices) > 1)
      std::fprintf(
          stderr,
          "note: --deterministic over devices of %d kinds: repeated runs are bitwise equal; runs on other devices "
          "differ within the bound of cutset verify\n",
          kinds_of(devices));
    r.transfers = session.transfers();
    r.memory = session.memory();
    // Each run has its own shuffled data set, which begins with epoch 0, so every run sees the same epochs.
    if (o.order.empty()) own.training = own.training.shuffle(c.seed);
    const data::Dataset::Transform checked = data::check_label_ranges(graph);
    own.training = own.training.map(checked);
    if (own.test) own.test = own.test->map(checked);
    try {
      Steps(session, o, own, stop, checkpoints, position, r).run();
    } catch (...) {
      r.failure = std::current_exception();
    }
    const auto save = [&](const std::function<void()>& write) {
      try {
        write();
      } catch (const std::exception& e) {
        // The first failure is reported as the error, and the failures to save the variables as notes.
        if (r.failure)
          std::fprintf(stderr, "note: %s\n", printable(e.what()).c_str());
        else
          r.failure = std::current_exception();
      }
    };
    if (!r.loss.empty()) {
      save([&] { checkpoints.after_step(session, position, true); });
      if (!o.save.empty()) save([&] { save_checkpoint(session, o.save, position); });
    }
  } catch (...) {
    r.failure = std::current_exception();
  }
  return r;
}

}  // namespace cutset::cli
