// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cli/train/results.h"
#include "frontends/cli/train/training.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/training/checkpoint_folder.h"
#include "runtime/files/folder_lock.h"

namespace cutset::cli {
namespace {

// Returns the options of each run, which has its own files. A resumed run continues from the first of these
// that exists:
// - the folder of checkpoints of the run;
// - the file or the folder that the command names.
//
// If neither exists, and another run has a folder, the run begins anew, because a command was stopped before
// it began this run. Throws a cutset::Error if there is no checkpoint at all.
std::vector<TrainingOptions> options_of_runs(const TrainingOptions& all) {
  const size_t runs = all.common.devices.size();
  std::vector<TrainingOptions> options(runs, all);
  std::vector<size_t> without;  // the runs that have no folder
  for (size_t run = 0; run < runs; ++run) {
    TrainingOptions& o = options[run];
    o.notes = run == 0 && !all.quiet;
    for (std::string* path : {&o.checkpoints.file, &o.trace, &o.common.dot, &o.common.compile.dump_directory,
                              &o.checkpoints.folder, &o.log.csv, &o.log.tensorboard})
      *path = of_run(*path, run, runs);
    std::error_code failed;
    const std::string own = of_run(all.checkpoints.from, run, runs);
    if (std::filesystem::is_directory(own, failed) && find_checkpoint(own))
      o.checkpoints.from = own;
    else
      without.push_back(run);
  }
  std::error_code failed;
  const bool begin_anew = without.size() < runs && !std::filesystem::exists(all.checkpoints.from, failed);
  for (const size_t run : without) {
    std::string& resume = options[run].checkpoints.from;
    if (begin_anew) {
      std::fprintf(stderr, "note: run %zu, for --devices %s, has no checkpoint in '%s', and begins anew\n",
                   run + 1, printable(all.common.devices[run]).c_str(),
                   printable(of_run(resume, run, runs)).c_str());
      resume.clear();
    } else if (!resume.empty()) {
      checkpoint_of(resume);
    }
  }
  return options;
}

// Throws a cutset::Error if a run may change the checkpoint from which a later run begins.
void check_beginnings(const std::vector<TrainingOptions>& runs) {
  for (size_t later = 1; later < runs.size(); ++later) {
    if (runs[later].checkpoints.from.empty()) continue;
    const std::string begin = checkpoint_of(runs[later].checkpoints.from);
    for (size_t run = 0; run < later; ++run)
      if (may_change(runs[run].checkpoints.folder, begin))
        raise(invalid_argument("run " + std::to_string(later + 1) + " begins with '" + begin + "', and run " +
                                   std::to_string(run + 1) +
                                   " may remove or replace this file, because it is in '" +
                                   runs[run].checkpoints.folder + "'",
                               "give another --checkpoint-dir"));
  }
}

void check_outputs(const TrainingOptions& all, const std::vector<TrainingOptions>& runs) {
  OutputFiles outputs;
  all.common.add_inputs(outputs);
  all.samples.add_inputs(outputs);
  outputs.reads("--order", all.order);
  outputs.reads("--init", all.init.file);
  // A resumed run may replace the checkpoint from which it began, but not a checkpoint from which a later run
  // of the same command begins. So the checkpoint that a run reads counts as an input for earlier runs, and
  // for the other outputs.
  for (size_t run = runs.size(); run-- > 0;) {
    outputs.file("--save", runs[run].checkpoints.file);
    if (const std::string& resume = runs[run].checkpoints.from; !resume.empty())
      outputs.reads("--resume", checkpoint_of(resume));
  }
  for (const TrainingOptions& o : runs) {
    outputs.file("--trace", o.trace);
    outputs.picture("--dot", o.common.dot);
    add_dump_folder(outputs, o.common.compile.dump_directory);
    outputs.folder("--checkpoint-dir", o.checkpoints.folder);
    outputs.folder("--log-tensorboard", o.log.tensorboard);
    outputs.file("--log-csv", o.log.csv);
    std::error_code failed;
    const std::string& save = o.checkpoints.file;
    if (!save.empty() && !o.checkpoints.folder.empty() &&
        std::filesystem::equivalent(std::filesystem::absolute(save).parent_path(), o.checkpoints.folder,
                                    failed))
      raise(invalid_argument("--save writes into the folder of --checkpoint-dir",
                             "give --save another folder"));
  }
  outputs.file("--json", all.common.json, true);
}

void report(const std::vector<TrainedRun>& results, const TrainingOptions& o) {
  if (results.empty()) return;
  if (o.common.json != "-") write_text("-", comparison(results, o.common.batch));
  if (o.common.json.empty()) return;
  nlohmann::json list = nlohmann::json::array();
  for (const TrainedRun& r : results) list.push_back(json_of(r, o));
  write_json(o.common.json, o.common.devices.size() == 1 ? list[0] : list);
}

// Says which file the run wrote before a signal stopped it, and how to continue the run.
void note_how_to_continue(const TrainedRun& stopped, const TrainingOptions& o) {
  std::string text =
      "stopped after step " +
      std::to_string(stopped.result.first_step + static_cast<int64_t>(stopped.result.loss.size())) + "; ";
  // With several runs, --resume takes the folder without the number of the run.
  const std::string from = !o.checkpoints.folder.empty()  ? o.checkpoints.folder
                           : o.common.devices.size() == 1 ? o.checkpoints.file
                                                          : "";
  if (!stopped.result.saved_to.empty())
    text += "'" + stopped.result.saved_to + "' has its variables" +
            (from.empty() ? "" : ", and the same command with --resume '" + from + "' continues the run");
  else if (o.checkpoints.folder.empty() && o.checkpoints.file.empty())
    text += "its variables are lost, because neither --checkpoint-dir nor --save is given";
  else
    text += "no file was written, because no step was made since the beginning";
  std::fprintf(stderr, "note: %s\n", printable(text).c_str());
}

void run(const TrainingOptions& o) {
  o.checkpoints.check_use();
  o.samples.check_use();
  o.rate.check_use();
  if (!o.checkpoints.from.empty() && !o.init.file.empty())
    raise(invalid_argument("--init and --resume both give values to the variables", "give one of them"));
  if (is_onnx(o.common.model)) {
    if (o.common.onnx_loss.loss.empty())
      raise(invalid_argument("an ONNX model has no loss",
                             std::string("give a loss, such as --loss cross_entropy") +
                                 (o.samples.has_samples() ? "" : ", and samples by --samples or --dataset")));
    if (!o.samples.has_samples())
      raise(invalid_argument(
          "an ONNX model has no samples of its own",
          "give --samples NAME=FILE.npy once per input, and --samples label=FILE.npy; or a --dataset"));
  }
  std::vector<TrainingOptions> runs = options_of_runs(o);
  check_beginnings(runs);
  check_outputs(o, runs);
  // All folders are taken now and held until the end, so that no other run replaces or removes these
  // checkpoints.
  for (TrainingOptions& run : runs)
    if (!run.checkpoints.folder.empty())
      run.checkpoints.lock = std::make_shared<FolderLock>(check(FolderLock::take(run.checkpoints.folder)));
  o.common.check_devices();
  const TrainingData data = read_training_data(o);
  const StopSignals stop;
  std::vector<TrainedRun> results;  // one per run that completed a step
  std::exception_ptr failure;
  for (size_t i = 0; i < runs.size() && !failure && !stop.received(); ++i) {
    TrainedRun r = train(runs[i], o.common.devices[i], data, stop);
    failure = r.failure;
    if (r.signal && !failure) note_how_to_continue(r, o);
    if (!r.result.loss.empty() || !r.result.evaluations.empty()) results.push_back(std::move(r));
  }
  try {
    report(results, o);
  } catch (const Error& e) {
    if (!failure && !stop.received()) throw;
    std::fprintf(stderr, "cutset: note: the results could not be written: %s\n", printable(e.what()).c_str());
  }
  if (failure) std::rethrow_exception(failure);
  if (stop.received()) throw Stopped{stop.received()};
}

}  // namespace

CLI::App* add_train(CLI::App& app) {
  auto o = std::make_shared<TrainingOptions>();
  CLI::App* command = app.add_subcommand("train", "train a built-in model or an ONNX model");
  o->common.add_to(*command, {.several_devices = true, .log = true, .picture = true, .json = true});
  o->init.read.states = false;  // a new run begins with a new optimizer
  o->init.add_to(*command);
  o->samples.add_to(*command, true);
  command->option_defaults()->group("Length");
  command->add_option("--epochs", o->epochs, "epochs, each over all samples")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  command->add_option("--steps", o->steps, "steps, instead of epochs")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command->add_option("--order", o->order, "file with the indices of the samples of an epoch")
      ->check(path_name());
  o->rate.add_to(*command);
  o->stopping.add_to(*command);
  command->add_flag("!--no-evaluate", o->evaluate, "do not evaluate");
  o->checkpoints.add_to(*command);
  command->option_defaults()->group("Reports");
  command->add_option("--trace", o->trace, "times of the instructions in steps 2 to 6, for ui.perfetto.dev")
      ->check(path_name());
  command->add_option("--log-csv", o->log.csv, "table of all steps and evaluations")->check(path_name());
  command->add_option("--log-tensorboard", o->log.tensorboard, "folder for an event file of TensorBoard")
      ->check(path_name());
  command->add_flag("--quiet", o->quiet, "no progress bar, no line per epoch and no notes");
  command->callback([o] { run(*o); });
  return command;
}

}  // namespace cutset::cli
