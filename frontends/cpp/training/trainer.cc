// SPDX-License-Identifier: Apache-2.0
#include <cutset/trainer.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/checks/in_use.h"
#include "frontends/cpp/training/checkpoint_folder.h"
#include "frontends/cpp/training/checkpoints.h"
#include "frontends/cpp/training/run_schedule.h"
#include "frontends/cpp/training/sample_checksum.h"
#include "frontends/cpp/training/trainer_options.h"
#include "frontends/cpp/training/training_steps.h"
#include "ir/core/hash.h"
#include "ir/core/number_text.h"
#include "runtime/files/folder_lock.h"

namespace cutset {

struct Trainer::Impl {
  Impl(Session& session, const data::Dataset& samples, TrainerOptions trainer_options);

  // Whether the run reads or writes a checkpoint, so that it needs hashes of its samples and its network.
  bool has_checkpoints() const {
    return !(options.checkpoints.folder + options.checkpoints.file + options.checkpoints.from).empty();
  }
  void note(const std::string& text) const;
  void take_folder();
  void plan_run(const data::Dataset& samples);
  void describe_run(const data::Dataset& samples);
  // Continues from the checkpoint `from`.
  void resume();
  TrainingPosition position_of_checkpoint(const std::string& path, Notes& notes, LoadedVariables& loaded);
  // Returns a text that tells this run from others that may have begun a log. Empty: the run cannot be
  // started again.
  std::string identity() const;
  void note_early_stop() const;
  // Writes all files of the end of a run. The first failure becomes `failure`, and the others are notes.
  void save(std::exception_ptr& failure);
  void run();

  Session& session;
  TrainerOptions options;
  Owner owner;
  std::shared_ptr<FolderLock> lock;
  TrainingSteps::Plan plan;
  RunDescription description;
  std::string from;  // the checkpoint or the folder that the run continues from; empty: a new run
  TrainingPosition position;
  TrainingPosition saved;  // the position of the last checkpoint
  FirstInfinities first;
  std::optional<Checkpoints> checkpoints;
  std::optional<TrainingLog> log;
  TrainingResult result;
};

Trainer::Impl::Impl(Session& session, const data::Dataset& samples, TrainerOptions trainer_options)
    : session(session), options(std::move(trainer_options)), plan{.batches = samples} {
  check_options(options);
  take_folder();
  plan_run(samples);
  describe_run(samples);
  position.first_step = session.step();
  if (options.checkpoints.resume && find_checkpoint(options.checkpoints.folder))
    from = options.checkpoints.folder;
  if (!options.checkpoints.from.empty()) from = options.checkpoints.from;
  if (!from.empty()) resume();
  if (has_checkpoints()) first.note(session);
  if (!options.checkpoints.file.empty()) check(check_writable(options.checkpoints.file));
  checkpoints.emplace(options.checkpoints,
                      Checkpoints::Begin{session, first, description, position, options.names, from,
                                         [this] {
                                           if (log) log->remove_claims();
                                         }},
                      options.on_checkpoint);
  if (!options.checkpoints.folder.empty() && !checkpoints->has_best()) position.evaluated = false;
  const LogPlaces before = position.log;
  log = check(TrainingLog::open(options.log,
                                options.evaluation ? metric_names(session) : std::vector<std::string>(),
                                position.log, identity()));
  position.log = log->places();
  saved = position;
  if (before.pending()) saved.log = before;  // the pending records are in the log now
}

void Trainer::Impl::note(const std::string& text) const {
  if (options.on_note) return options.on_note(text);
  std::fprintf(stderr, "note: %s\n", text.c_str());
}

void Trainer::Impl::take_folder() {
  const std::string& folder = options.checkpoints.folder;
  lock = options.checkpoints.lock;
  if (folder.empty() || lock) return;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    raise(unavailable("cannot create the folder '" + folder + "': " + failed.message(),
                      "check the path and its permissions"));
  lock = std::make_shared<FolderLock>(check(FolderLock::take(folder)));
}

void Trainer::Impl::plan_run(const data::Dataset& samples) {
  const std::vector<std::string> functions = session.functions();
  if (std::ranges::find(functions, "train") == functions.end())
    raise(
        invalid_argument("the graph has no function 'train'", "call Graph::minimize before it is compiled"));
  const data::Dataset ordered = options.shuffle ? samples.shuffle(options.seed) : samples;
  plan.batches = ordered.batch(options.batch).prefetch(options.prefetch);
  plan.per_epoch = options.drop_remainder ? samples.size() / options.batch : plan.batches.batches();
  if (plan.per_epoch == 0)
    raise(invalid_argument("there are " + std::to_string(samples.size()) +
                               " samples, fewer than a batch of " + std::to_string(options.batch),
                           "give a smaller " + options.names.batch));
  plan.total = options.steps;
  if (!plan.total && __builtin_mul_overflow(options.epochs, plan.per_epoch, &plan.total))
    raise(invalid_argument(std::to_string(options.epochs) + " epochs of " + std::to_string(plan.per_epoch) +
                               " steps are too many",
                           "give fewer " + options.names.length));
  plan.has_rate = session.hyper_parameters().contains("learning_rate");
  if (!plan.has_rate && options.schedule)
    raise(invalid_argument("the graph has no hyper-parameter 'learning_rate' for a schedule",
                           "leave out schedule"));
  if (plan.has_rate) {
    const LearningRateSchedule constant{.rate = session.hyper_parameter("learning_rate")};
    plan.schedule = schedule_of_run(options.schedule.value_or(constant), plan.total, options.names);
    if (options.schedule) plan.group_rates = session.group_rates();
    if (!plan.group_rates.empty() && !(plan.schedule.rate > 0))
      raise(invalid_argument(
          "the schedule has the rate 0, so the rates of the parameter groups cannot follow it",
          "give the optimizer and the schedule a rate above 0, and freeze variables or give "
          "them a group with the rate 0"));
  }
  if (options.evaluation) plan.metric = chosen_metric(options.metric, metric_names(session));
}

void Trainer::Impl::describe_run(const data::Dataset& samples) {
  std::string network, optimizer;
  bool f64 = false;
  for (const auto& [name, type] : session.outputs("train")) f64 = f64 || type.dtype == DType::f64;
  if (has_checkpoints())
    network =
        std::string(f64 ? "f64" : "f32") + " with the hash " + std::to_string(hash_of(session.graph_text()));
  for (auto [name, value] : session.hyper_parameters()) {
    if (name == "learning_rate") continue;
    if (const auto follows = plan.group_rates.find(name); follows != plan.group_rates.end())
      value = follows->second;  // the step decides the rate that the session has
    optimizer += (optimizer.empty() ? "" : ", ") + name + " " + shortest_text(value);
  }
  description = {.batch = options.batch,
                 .samples = samples.size(),
                 .seed = options.seed,
                 .rate = plan.has_rate ? cutset::description(plan.schedule) : "none",
                 .network = std::move(network),
                 .properties = options.properties};
  std::vector<RunProperty> own =
      properties_of_choice(options, options.evaluation ? metric_names(session) : std::vector<std::string>());
  own.push_back({.name = "optimizer",
                 .value = optimizer.empty() ? "none" : optimizer,
                 .what = "the hyper-parameters",
                 .hint = "give the samples of the first run"});
  if (options.check_samples && has_checkpoints())
    own.push_back({.name = "all_samples",
                   .value = checksum_of_epoch(samples),
                   .what = "data of",
                   .hint = "the samples have changed since then; give the samples of the first run"});
  if (options.evaluation && options.check_samples && has_checkpoints())
    own.push_back({.name = "evaluation",
                   .value = checksum_of_epoch(*options.evaluation),
                   .what = "evaluations on",
                   .hint = "give the samples for the evaluation of the first run",
                   .optional = true});
  add_missing(description.properties, std::move(own));
}

TrainingPosition Trainer::Impl::position_of_checkpoint(const std::string& path, Notes& notes,
                                                       LoadedVariables& loaded) {
  const std::string hint = "give " + options.names.model;
  bool loads = false;
  try {
    notes = read_notes(path);
    const TrainingPosition read = read_position(path, notes, description, options.names);
    loads = true;
    loaded = session.load(path);
    if (!loaded.complete())
      raise(invalid_argument(
          "'" + path + "' has no variable '" + loaded.first_missing() + "', so training cannot be resumed",
          hint));
    return read;
  } catch (const Error& e) {
    if (loads && e.code() == ErrorCode::kInvalidArgument) raise({e.code(), message_of(e), "", hint});
    const auto before = checkpoint_before_newest(from);
    if (e.code() != ErrorCode::kInvalidData || !e.hint().empty() || !before) throw;
    raise({e.code(), message_of(e), "",
           "without this file in the folder, " + options.names.from + " continues from '" + *before +
               "', the checkpoint before it"});
  }
}

void Trainer::Impl::resume() {
  const std::string path = checkpoint_of(from);
  Notes notes;
  LoadedVariables loaded;
  position = position_of_checkpoint(path, notes, loaded);
  description.require_network(path, notes, options.names);
  check_step(path, position, plan.per_epoch, session.step(), step_in_name(path));
  if (position.batches > plan.per_epoch)
    raise(invalid_data("the checkpoint names batch " + std::to_string(position.batches) +
                           " of an epoch with " + std::to_string(plan.per_epoch) + " batches",
                       "the file is damaged; give another checkpoint"));
  for (const std::string& text : loaded.notes) note("'" + path + "': " + text);
}

std::string Trainer::Impl::identity() const {
  const CheckpointOptions& c = options.checkpoints;
  if (!has_checkpoints() || (options.log.csv + options.log.tensorboard).empty()) return "";
  Notes notes;
  description.add_to(notes);
  std::string text = "a run with these options, which has written no checkpoint yet:\n";
  std::error_code failed;
  if (!from.empty())
    text += "from a checkpoint of " + checksum_of_file(checkpoint_of(from)) + "\n";
  else
    text += "writes '" +
            std::filesystem::weakly_canonical(c.folder.empty() ? c.file : c.folder, failed).string() + "'\n";
  for (const auto& [name, value] : notes) text += name + ": " + value + "\n";
  return text;
}

void Trainer::Impl::save(std::exception_ptr& failure) {
  bool all = true;
  const auto written = [&](auto&& write) {
    try {
      write();
      return true;
    } catch (const std::exception& e) {
      // The first failure is reported as the error, and the failures to save the variables as notes.
      if (!failure)
        failure = std::current_exception();
      else
        try {
          note(e.what());
        } catch (...) {  // a callback that throws does not keep the next file from being written
        }
    }
    return all = false;
  };
  const std::string& file = options.checkpoints.file;
  if (!file.empty() && written([&] { checkpoints->save(file, position); })) result.saved_to = file;
  if (written([&] { checkpoints->after_step(position, true); }) && !checkpoints->last_written().empty())
    result.saved_to = checkpoints->last_written();
  if (all) saved = position;  // otherwise, the next run() tries again
}

void Trainer::Impl::note_early_stop() const {
  const std::optional<double>& best = position.stopping.best;
  note("early stopping ended the run after step " +
       std::to_string(result.first_step + std::ssize(result.loss)) + ": the last " +
       counted(static_cast<size_t>(position.stopping.waited), "evaluation") + " had no better " +
       plan.metric.name + (best ? " than " + shortest_text(plan.metric.merit(*best)) : ""));
}

void Trainer::Impl::run() {
  const InUse in_use(owner, "Trainer");
  result = {};
  if (plan.schedule.warmup_steps > plan.total)
    note("the warm-up has " + std::to_string(plan.schedule.warmup_steps) + " steps, and the run has " +
         std::to_string(plan.total) + ", so no step has the whole " + options.names.learning_rate);
  const bool was_stopped = position.stopping.stopped;
  std::exception_ptr failure;
  try {
    TrainingSteps(session, options, plan, *log, *checkpoints, position, result, Clock::real())
        .run(position != saved);
    if (position.stopping.stopped && !was_stopped) note_early_stop();
  } catch (...) {
    failure = std::current_exception();
  }
  result.stopped_early = position.stopping.stopped;
  if (options.evaluation && position.evaluated) result.best = plan.metric.merit(position.best);
  if (position != saved) save(failure);
  if (failure) std::rethrow_exception(failure);
  const bool complete =
      position.stopping.stopped || (position.epoch * plan.per_epoch + position.batches >= plan.total);
  if (!complete || !options.early_stopping || !options.early_stopping->restore_best) return;
  const std::string best = best_checkpoint_path(options.checkpoints.folder);
  if (checkpoints->has_best())
    session.load(best);
  else
    note("there is no '" + best + "', so the session keeps the variables of the last step");
}

Trainer::Trainer(Session& session, data::Dataset samples, TrainerOptions options)
    : impl_("Trainer", ended_in_own_process(std::make_unique<Impl>(session, samples, std::move(options)))) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

TrainingResult Trainer::run() {
  impl_->run();
  return impl_->result;
}
const TrainingResult& Trainer::result() const { return impl_->result; }
int64_t Trainer::step() const {
  return impl_->position.epoch * impl_->plan.per_epoch + impl_->position.batches;
}
int64_t Trainer::steps() const { return impl_->plan.total; }
int64_t Trainer::steps_per_epoch() const { return impl_->plan.per_epoch; }

}  // namespace cutset
