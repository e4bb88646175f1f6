// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/training.h"

#include <cutset/label_ranges.h>

#include <chrono>
#include <set>
#include <sstream>
#include <utility>

#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cli/train/progress_lines.h"
#include "frontends/cli/train/step_trace.h"
#include "frontends/cli/train/trainer_arguments.h"
#include "frontends/cpp/checks/failure.h"

namespace cutset::cli {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point kProcessStart = Clock::now();

int kinds_of(const std::string& devices) {
  std::set<std::string> kinds;
  std::stringstream list(devices);
  for (std::string name; std::getline(list, name, ',');) kinds.insert(name.substr(0, name.find(':')));
  return static_cast<int>(kinds.size());
}

// Returns a transform that calls `checked`, and says in its errors that the sample is for the evaluation.
data::Dataset::Transform for_evaluation(data::Dataset::Transform checked) {
  return [checked = std::move(checked)](Batch batch, const data::BatchPosition& position) {
    try {
      return checked(std::move(batch), position);
    } catch (const Error& e) {
      raise_without_line(e, "in the samples for evaluation, ");
    }
  };
}

// Prints what is known about the session before its first step, and sets it in `r`.
void describe(const Session& session, const TrainingOptions& o, TrainedRun& r) {
  const CommonOptions& c = o.common;
  print_warnings(session.warnings());
  for (const std::string& topic : c.log) std::fputs(printable(session.log(topic), true).c_str(), stderr);
  if (!c.dot.empty()) write_picture(c.dot, session.dot(c.level_of_picture()));
  r.strategy = session.strategy();
  if (c.compile.deterministic && kinds_of(r.devices) > 1)
    std::fprintf(stderr,
                 "note: --deterministic over devices of %d kinds: repeated runs are bitwise equal; runs on "
                 "other devices differ within the bound of cutset verify\n",
                 kinds_of(r.devices));
  r.transfers = session.transfers();
  r.memory = session.memory();
}

// Prints the progress of a run. A Trainer calls its functions.
class Shown {
 public:
  Shown(const TrainingOptions& o, TrainedRun& r) : o_(o), r_(r) {}
  // Sets the callbacks of a Trainer.
  void listen(TrainerOptions& options) {
    options.on_step = [this](const TrainingStep& s) { after(s); };
    options.on_evaluation = [this](const Evaluation& e) { metrics_ = "; evaluation: " + text_of(e); };
    options.on_epoch = [this](const TrainingEpoch& e) {
      if (progress_ && o_.common.json != "-") progress_->print(text_of(e, metrics_));
    };
    options.on_note = [this](const std::string& text) {
      if (progress_) progress_->erase();
      print_note(text);
    };
  }
  // Begins the run of a Trainer with these options.
  void begin(Session& session, const Trainer& trainer) {
    trace_.emplace(session, o_.trace, trainer.steps() - trainer.step());
    if (!o_.quiet) progress_.emplace(o_.common.model + " on " + r_.devices, trainer.steps());
  }
  // Erases the bar, and writes the trace of a run that ended early.
  void end() {
    progress_.reset();
    trace_->end();
  }

 private:
  void after(const TrainingStep& s) {
    trace_->after_step(s.last);
    if (r_.first_step_s == 0)
      r_.first_step_s = std::chrono::duration<double>(Clock::now() - kProcessStart).count();
    if (progress_) progress_->update(s.step, "loss " + fixed(s.loss, 4) + metrics_);
  }

  const TrainingOptions& o_;
  TrainedRun& r_;
  std::optional<StepTrace> trace_;
  std::optional<Progress> progress_;  // empty with --quiet
  std::string metrics_;               // the metrics of the last evaluation
};

// Builds the graph and returns it. Fits `data` to the graph.
Graph build(const TrainingOptions& o, TrainingData& data) {
  const CommonOptions& c = o.common;
  std::vector<std::string> notes;
  Graph graph = c.graph(&data.training, &notes);
  if (o.notes && c.freeze.empty() && c.freeze_except.empty())
    for (const std::string& note : notes) print_note(note);
  fit_to_graph(data, graph, c.batch, o.notes);
  const data::Dataset::Transform checked = data::check_label_ranges(graph);
  data.training = data.training.map(checked);
  if (data.test) data.test = data.test->map(for_evaluation(checked));
  return graph;
}

}  // namespace

TrainedRun train(const TrainingOptions& o, const std::string& devices, const TrainingData& data,
                 const StopSignals& stop) {
  TrainedRun r;
  r.devices = devices;
  try {
    TrainingData own = data;
    const Graph graph = build(o, own);
    CompileOptions compiled = o.common.compile_options(devices);
    if (o.quiet) compiled.on_note = [](const std::string&) {};
    Session session = compile(graph, compiled);
    if (!o.init.file.empty())
      note_loaded(o.init.file, reading_init([&] { return session.load(o.init.file, o.init.read); }));
    TrainerOptions options = trainer_options(o, own, session);
    options.stop = [&stop] { return stop.received() != 0; };
    Shown shown(o, r);
    shown.listen(options);
    Trainer trainer(session, own.training, options);
    describe(session, o, r);
    shown.begin(session, trainer);
    try {
      trainer.run();
      r.signal = stop.received();
    } catch (...) {
      r.failure = std::current_exception();
    }
    try {
      shown.end();
    } catch (...) {
      if (!r.failure) r.failure = std::current_exception();
    }
    r.result = trainer.result();
  } catch (...) {
    r.failure = std::current_exception();
  }
  return r;
}

}  // namespace cutset::cli
