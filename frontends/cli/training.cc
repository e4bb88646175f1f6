#include "frontends/cli/training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>

#include "frontends/cli/checkpoint.h"
#include "frontends/cli/outputs.h"
#include "frontends/cli/terminal.h"
#include "frontends/cpp/failure.h"
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

// Returns the fraction of the test set that is classified correctly, or nothing if a signal is received meanwhile.
std::optional<double> evaluate(Session& session, const data::Dataset& test, int64_t batch, const StopSignals& stop) {
  double correct = 0;
  for (Batch& b : test.batch(batch).prefetch(2)) {
    correct += session.evaluate(b)["correct"].item<double>();
    if (stop.received()) return std::nullopt;
  }
  return correct / static_cast<double>(test.size());
}

// Runs the epochs and their steps. `r` holds the results of all completed steps, even if an exception ends the loop.
void run_steps(Session& session, const TrainingOptions& o, const TrainingData& data, const StopSignals& stop,
               TrainingResult& r) {
  const CommonOptions& c = o.common;
  const data::Dataset batches = data.training.batch(c.batch).prefetch(2);
  const int64_t per_epoch = data.whole_batches ? batches.size() / c.batch : batches.batches();
  if (per_epoch == 0)
    raise(invalid_argument("there are " + std::to_string(batches.size()) + " samples, fewer than a batch",
                           "give a smaller --batch"));
  const int64_t total = o.steps ? o.steps : o.epochs * per_epoch;
  const size_t trace_from = total > 1 ? 1 : 0;
  LearningRateSchedule schedule = o.schedule;
  schedule.rate = session.hyper_parameter("learning_rate"),
  schedule.total_steps = std::max<int64_t>(1, total - 1);  // the last step has the final rate
  (void)schedule.at(0);                                    // throws before the first step if the schedule is invalid
  const bool scheduled = schedule.kind != LearningRateSchedule::Kind::kConstant || schedule.warmup_steps > 0;
  Progress progress(c.model + " on " + r.devices, total);
  auto done = [&] { return static_cast<int64_t>(r.loss.size()); };
  while (done() < total && !stop.received()) {
    int64_t left = per_epoch;
    for (Batch& batch : batches) {
      if (left-- == 0) break;
      if (!o.trace.empty() && r.loss.size() == trace_from) session.start_trace();
      if (scheduled) session.set_hyper_parameter("learning_rate", schedule.at(done()));
      const auto start = Clock::now();
      r.loss.push_back(session.train(batch)["loss"].item<double>());
      r.step_ms.push_back(seconds_since(start) * 1e3);
      const bool last = done() == total || stop.received();
      if (!o.trace.empty() && r.loss.size() > trace_from &&
          (r.loss.size() == kTraceTo || (last && r.loss.size() < kTraceTo)))
        session.write_trace(o.trace);
      if (r.loss.size() == 1) r.first_step_s = seconds_since(kProcessStart);
      progress.update(done(), "loss " + fixed(r.loss.back(), 4));
      if (last) break;
      if (o.save_every && done() % o.save_every == 0) save_checkpoint(session, o.save);
    }
    if (!data.test || stop.received()) continue;
    if (const auto accuracy = evaluate(session, *data.test, c.batch, stop)) r.accuracy.push_back(*accuracy);
  }
  r.signal = stop.received();
}

// The samples without those at the end that do not fill a batch.
data::Dataset whole_batches(const data::Dataset& all, int64_t batch) {
  std::vector<int64_t> samples(static_cast<size_t>(all.size() / batch * batch));
  if (samples.empty())
    raise(invalid_argument("there are " + std::to_string(all.size()) + " samples for tests, fewer than a batch",
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

TrainingData read_training_data(const TrainingOptions& o) {
  const bool imported = is_onnx(o.common.model);
  const auto read = [&](const char* split, const std::vector<std::string>& files, const char* option) {
    return imported ? OnnxTrainingOptions::read(files, option) : data::fashion_mnist(split, o.data);
  };
  TrainingData made{read("train", o.onnx.samples, "--samples"), {}, imported};
  if (!o.order.empty()) made.training = made.training.order(check(read_order(o.order)));
  if (!o.evaluate || (imported && o.onnx.test_samples.empty())) return made;
  made.test = read("test", o.onnx.test_samples, "--test-samples");
  if (imported) made.test = whole_batches(*made.test, o.common.batch);
  return made;
}

TrainingResult train(const TrainingOptions& o, const std::string& devices, const TrainingData& data,
                     const StopSignals& stop) {
  const CommonOptions& c = o.common;
  TrainingResult r;
  r.devices = devices;
  try {
    const Graph graph = is_onnx(c.model)
                            ? o.onnx.graph(c.onnx.read(c.model, c.batch), data.training, c.batch, c.chosen_optimizer())
                            : c.graph();
    Session session = compile(graph, c.compile_options(devices));
    if (!o.init.empty()) note_missing(o.init, session.load(o.init));
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
    TrainingData own = data;
    if (o.order.empty()) own.training = own.training.shuffle(c.seed);
    try {
      run_steps(session, o, own, stop, r);
    } catch (...) {
      r.failure = std::current_exception();
    }
    if (!o.save.empty() && !r.loss.empty()) {
      try {
        save_checkpoint(session, o.save);
      } catch (const std::exception& e) {
        if (!r.failure) throw;
        // The first failure is reported as the error, and the failure to save the variables as a note.
        std::fprintf(stderr, "note: %s\n", printable(e.what()).c_str());
      }
    }
  } catch (...) {
    r.failure = std::current_exception();
  }
  return r;
}

}  // namespace cutset::cli
