#include "frontends/cli/training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>

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

// Runs the epochs and their steps from `position` on. `r` holds the results of all completed steps, even if an exception ends the
// loop, and `position` how far it came.
void run_steps(Session& session, const TrainingOptions& o, const TrainingData& data, const StopSignals& stop,
               Checkpoints& checkpoints, TrainingPosition& position, TrainingResult& r) {
  const CommonOptions& c = o.common;
  const data::Dataset batches = data.training.batch(c.batch).prefetch(2).start_at(position.epoch, position.batches);
  const int64_t per_epoch = data.whole_batches ? batches.size() / c.batch : batches.batches();
  if (per_epoch == 0)
    raise(invalid_argument("there are " + std::to_string(batches.size()) + " samples, fewer than a batch",
                           "give a smaller --batch"));
  const int64_t total = o.steps ? o.steps : o.epochs * per_epoch;
  if (r.first_step >= total)
    raise(invalid_argument("the run of " + std::to_string(total) + " steps is complete: the checkpoint has step " +
                               std::to_string(r.first_step),
                           "give more --steps or --epochs"));
  const size_t trace_from = total - r.first_step > 1 ? 1 : 0;
  LearningRateSchedule schedule = o.schedule;
  schedule.rate = session.hyper_parameter("learning_rate"),
  schedule.total_steps = std::max<int64_t>(1, total - 1);  // the last step has the final rate
  (void)schedule.at(0);                                    // throws before the first step if the schedule is invalid
  const bool scheduled = schedule.kind != LearningRateSchedule::Kind::kConstant || schedule.warmup_steps > 0;
  Progress progress(c.model + " on " + r.devices, total);
  auto done = [&] { return r.first_step + static_cast<int64_t>(r.loss.size()); };
  std::string metrics;  // of the last evaluation
  while (done() < total && !stop.received()) {
    for (Batch& batch : batches) {
      if (!o.trace.empty() && r.loss.size() == trace_from) session.start_trace();
      if (scheduled) session.set_hyper_parameter("learning_rate", schedule.at(done()));
      const auto start = Clock::now();
      r.loss.push_back(session.train(batch)["loss"].item<double>());
      r.step_ms.push_back(seconds_since(start) * 1e3);
      ++position.batches;
      const bool last = done() >= total || stop.received();
      if (!o.trace.empty() && r.loss.size() > trace_from &&
          (r.loss.size() == kTraceTo || (last && r.loss.size() < kTraceTo)))
        session.write_trace(o.trace);
      if (r.loss.size() == 1) r.first_step_s = seconds_since(kProcessStart);
      progress.update(done(), "loss " + fixed(r.loss.back(), 4) + metrics);
      const bool whole = position.batches == per_epoch;
      if (whole) ++position.epoch, position.batches = 0;
      checkpoints.after_step(session, position, false);
      if (last) break;
      if (o.save_every && done() % o.save_every == 0) save_checkpoint(session, o.save, position);
      if (whole) break;
    }
    if (!data.test || stop.received()) continue;
    if (const auto evaluation = evaluate(session, *data.test, c.batch, stop)) {
      r.evaluations.push_back(*evaluation);
      metrics = "; evaluation: " + evaluation->text();
      checkpoints.after_evaluation(session, position, evaluation->top1.value_or(-evaluation->loss));
    }
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
  const CommonOptions& c = o.common;
  const bool imported = is_onnx(c.model);
  const Graph graph = imported ? Graph() : c.graph();  // the inputs of an ONNX model are checked when it runs
  TrainingData made{o.samples.training(graph, c.seed), {}, imported};
  check_samples(graph, made.training);
  if (!o.order.empty()) made.training = made.training.order(check(read_order(o.order)));
  if (!o.evaluate) return made;
  made.test = o.samples.test(graph);
  if (!made.test) return made;
  check_samples(graph, *made.test);
  if (imported) made.test = whole_batches(*made.test, c.batch);
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
    Session session = compile(graph, c.compile_options(devices));
    TrainingPosition position{.batch = c.batch, .samples = data.training.size(), .seed = c.seed};
    if (!o.init.empty()) note_missing(o.init, session.load(o.init));
    if (!o.checkpoints.resume.empty()) {
      const std::string path = checkpoint_of(o.checkpoints.resume);
      position = read_position(path, position);
      note_missing(path, session.load(path));
      r.first_step = static_cast<int64_t>(session.step());
    }
    Checkpoints checkpoints(o.checkpoints, session.step(), [] { return seconds_since(kProcessStart); });
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
      run_steps(session, o, own, stop, checkpoints, position, r);
    } catch (...) {
      r.failure = std::current_exception();
    }
    if (!r.loss.empty()) {
      try {
        if (!o.save.empty()) save_checkpoint(session, o.save, position);
        checkpoints.after_step(session, position, true);
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
