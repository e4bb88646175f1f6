#include "frontends/cli/train/training.h"

#include <cutset/label_ranges.h>

#include <functional>
#include <set>
#include <sstream>
#include <utility>

#include "frontends/cli/arguments.h"
#include "frontends/cli/outputs.h"
#include "frontends/cli/terminal.h"
#include "frontends/cli/train/training_steps.h"
#include "frontends/cpp/failure.h"
#include "ir/core/names.h"
#include "runtime/abi/cache_file.h"

namespace cutset::cli {
namespace {

int kinds_of(const std::string& devices) {
  std::set<std::string> kinds;
  std::stringstream list(devices);
  for (std::string name; std::getline(list, name, ',');) kinds.insert(name.substr(0, name.find(':')));
  return static_cast<int>(kinds.size());
}

// What is frozen, in an order that does not depend on that of the options.
std::string description_of_frozen(const CommonOptions& o) {
  const bool except = !o.freeze_except.empty();
  const std::vector<std::string>& given = except ? o.freeze_except : o.freeze;
  const std::set<std::string> names(given.begin(), given.end());
  const std::vector<std::string> once(names.begin(), names.end());
  return names.empty() ? "none" : (except ? "all but " : "") + quoted_list(once, once.size());
}

// The element type of the network, and a hash of its graph; empty if the run reads and writes no checkpoint.
std::string description_of_network(const Graph& graph, const TrainingOptions& o) {
  if (!o.has_checkpoints()) return "";
  return o.common.dtype + " with the hash " + std::to_string(abi::hash_of(graph.text()));
}

TrainingPosition start_of_run(const Graph& graph, const Session& session, const TrainingOptions& o,
                              const TrainingData& data) {
  return {.batch = o.common.batch,
          .samples = data.training.size(),
          .seed = o.common.seed,
          .source = data.source,
          .contents = data.contents,
          .loss = is_onnx(o.common.model) ? o.common.onnx_loss.description() : "that of the model",
          .network = description_of_network(graph, o),
          .frozen = description_of_frozen(o.common),
          .optimizer = description(o.common.optimizer, o.common.chosen_optimizer()),
          .rate = description(o.rate.of_run(session.hyper_parameter("learning_rate"), steps_of(o, data)))};
}

// Loads the checkpoint and returns its position, which must fit the run that begins at `start`.
TrainingPosition resume(Session& session, const TrainingOptions& o, const TrainingData& data,
                        const TrainingPosition& start) {
  const std::string path = checkpoint_of(o.checkpoints.resume);
  constexpr char kHint[] = "give the model, its sizes and the optimizer of the first run";
  TrainingPosition position;
  LoadedVariables loaded;
  bool loads = false;
  try {
    position = read_position(path, start);
    loads = true;
    loaded = session.load(path);
  } catch (const Error& e) {
    if (loads && e.code() == ErrorCode::kInvalidArgument) raise({e.code(), message_of(e), "", kHint});
    const auto before = checkpoint_before_newest(o.checkpoints.resume);
    if (e.code() != ErrorCode::kInvalidData || !e.hint().empty() || !before) throw;
    raise({e.code(), message_of(e), "",
           "without this file in the folder, --resume continues from '" + *before + "', the checkpoint before it"});
  }
  if (!loaded.complete())
    raise(invalid_argument(
        "'" + path + "' has no variable '" + loaded.first_missing() + "', so training cannot be resumed", kHint));
  check_network(path, position, start);
  check_step(path, position, data.steps_per_epoch(o.common.batch), session.step(), step_in_name(path));
  note_loaded(path, loaded);
  return position;
}

// Does what `checked` does, and says in its errors that the sample is one for the evaluation.
data::Dataset::Transform for_evaluation(data::Dataset::Transform checked) {
  return [checked = std::move(checked)](Batch batch, const data::BatchPosition& position) {
    try {
      return checked(std::move(batch), position);
    } catch (const Error& e) {
      raise_without_line(e, "in the samples for evaluation, ");
    }
  };
}

}  // namespace

TrainingResult train(const TrainingOptions& o, const std::string& devices, const TrainingData& data,
                     const StopSignals& stop) {
  const CommonOptions& c = o.common;
  TrainingResult r;
  r.devices = devices;
  try {
    std::vector<std::string> notes;
    const Graph graph = c.graph(&data.training, &notes);
    if (o.notes && c.freeze.empty() && c.freeze_except.empty())
      for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", printable(note).c_str());
    TrainingData own = data;
    fit_to_graph(own, graph, c.batch, o.notes);
    CompileOptions options = c.compile_options(devices);
    if (o.quiet) options.on_note = [](const std::string&) {};
    Session session = compile(graph, options);
    TrainingPosition position = start_of_run(graph, session, o, data);
    if (!o.init.file.empty()) note_loaded(o.init.file, session.load(o.init.file, o.init.read));
    position.first_step = session.step();
    if (!o.checkpoints.resume.empty()) position = resume(session, o, own, position);
    FirstInfinities first;
    if (o.has_checkpoints()) first.note(session);
    Checkpoints checkpoints(o.checkpoints, session.step(), position, first);
    if (!checkpoints.has_best()) position.evaluated = false;
    const TrainingPosition before = position;
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
    if (own.test) own.test = own.test->map(for_evaluation(checked));
    try {
      run_steps(session, o, own, stop, checkpoints, position, r);
    } catch (...) {
      r.failure = std::current_exception();
    }
    const auto save = [&](const std::function<void()>& write) {
      try {
        write();
        return true;
      } catch (const std::exception& e) {
        // The first failure is reported as the error, and the failures to save the variables as notes.
        if (r.failure)
          std::fprintf(stderr, "note: %s\n", printable(e.what()).c_str());
        else
          r.failure = std::current_exception();
      }
      return false;
    };
    if (position != before) {
      if (!o.save.empty() && save([&] { checkpoints.save(session, o.save, position); })) r.saved_to = o.save;
      if (save([&] { checkpoints.after_step(session, position, true); }) && !checkpoints.last_written().empty())
        r.saved_to = checkpoints.last_written();
    }
  } catch (...) {
    r.failure = std::current_exception();
  }
  return r;
}

}  // namespace cutset::cli
