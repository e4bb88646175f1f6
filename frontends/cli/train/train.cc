#include <filesystem>
#include <memory>

#include "frontends/cli/outputs.h"
#include "frontends/cli/results.h"
#include "frontends/cli/terminal.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {
namespace {

// Returns the options of one of several runs. Each run has its own files.
TrainingOptions options_of_run(const TrainingOptions& all, size_t run) {
  TrainingOptions o = all;
  const size_t runs = all.common.devices.size();
  for (std::string* path : {&o.save, &o.trace, &o.common.dot, &o.common.compile.dump_directory, &o.checkpoints.folder})
    *path = of_run(*path, run, runs);
  // The runs have folders of checkpoints of their own, and may continue from one file.
  std::error_code failed;
  if (const std::string own = of_run(o.checkpoints.resume, run, runs); std::filesystem::is_directory(own, failed))
    o.checkpoints.resume = own;
  return o;
}

void check_outputs(const TrainingOptions& all) {
  OutputFiles outputs;
  all.common.add_inputs(outputs);
  all.samples.add_inputs(outputs);
  outputs.reads("--order", all.order);
  outputs.reads("--init", all.init.file);
  // A run that is resumed may save where it did before, but not where a later run of the same command begins. So the checkpoint that a run
  // reads is an input of the files of earlier runs, and of the other outputs. A folder without a checkpoint is an error of its run.
  for (size_t run = all.common.devices.size(); run-- > 0;) {
    const TrainingOptions o = options_of_run(all, run);
    outputs.file("--save", o.save);
    if (const auto checkpoint = find_checkpoint(o.checkpoints.resume)) outputs.reads("--resume", *checkpoint);
  }
  for (size_t run = 0; run < all.common.devices.size(); ++run) {
    const TrainingOptions o = options_of_run(all, run);
    outputs.file("--trace", o.trace);
    outputs.picture("--dot", o.common.dot);
    add_dump_folder(outputs, o.common.compile.dump_directory);
    outputs.folder("--checkpoint-dir", o.checkpoints.folder);
    std::error_code failed;
    if (!o.save.empty() && !o.checkpoints.folder.empty() &&
        std::filesystem::equivalent(std::filesystem::absolute(o.save).parent_path(), o.checkpoints.folder, failed))
      raise(invalid_argument("--save writes into the folder of --checkpoint-dir", "give --save another folder"));
  }
  outputs.file("--json", all.common.json, true);
}

// Throws if one of several runs would remove a checkpoint from which a later one begins: a run removes old checkpoints of its folder.
void check_beginnings(const TrainingOptions& all) {
  if (all.checkpoints.resume.empty() || all.checkpoints.folder.empty()) return;
  for (size_t later = 1; later < all.common.devices.size(); ++later) {
    const auto begin = find_checkpoint(options_of_run(all, later).checkpoints.resume);
    for (size_t run = 0; begin && run < later; ++run) {
      const std::string folder = options_of_run(all, run).checkpoints.folder;
      std::error_code failed;
      if (!std::filesystem::equivalent(std::filesystem::absolute(*begin).parent_path(), folder, failed)) continue;
      raise(invalid_argument("the run for --devices " + all.common.devices[run] + " may remove checkpoints of '" +
                                 folder + "', and the run for --devices " + all.common.devices[later] +
                                 " begins with '" + *begin + "'",
                             "give another --checkpoint-dir, or begin with a copy of the checkpoint"));
    }
  }
}

void report(const std::vector<TrainingResult>& results, const TrainingOptions& o) {
  if (results.empty()) return;
  if (o.common.json != "-") write_text("-", comparison(results, o.common.batch));
  if (o.common.json.empty()) return;
  nlohmann::json list = nlohmann::json::array();
  for (const TrainingResult& r : results) list.push_back(json_of(r, o));
  write_json(o.common.json, o.common.devices.size() == 1 ? list[0] : list);
}

void run(const TrainingOptions& o) {
  if (o.save_every && o.save.empty())
    raise(invalid_argument("--save-every needs a file to save to", "give --save FILE"));
  if ((o.checkpoints.every || o.checkpoints.minutes > 0 || o.checkpoints.keep) && o.checkpoints.folder.empty())
    raise(invalid_argument("--checkpoint-every, --checkpoint-minutes and --keep need a folder",
                           "give --checkpoint-dir DIR"));
  o.samples.check_use();
  o.rate.check_use();
  if (!o.checkpoints.resume.empty() && !o.init.file.empty())
    raise(invalid_argument("--init and --resume both give values to the variables", "give one of them"));
  if (is_onnx(o.common.model)) {
    if (o.common.onnx_loss.loss.empty())
      raise(invalid_argument("an ONNX model has no loss", "give --loss cross_entropy, and --samples"));
    if (!o.samples.has_samples())
      raise(invalid_argument(
          "an ONNX model has no samples of its own",
          "give --samples NAME=FILE.npy once per input, and --samples label=FILE.npy; or a --dataset"));
  }
  check_outputs(o);
  check_beginnings(o);
  o.common.check_devices();
  const TrainingData data = read_training_data(o);
  const StopSignals stop;
  std::vector<TrainingResult> results;  // of the runs that completed a step
  std::exception_ptr failure;
  for (size_t i = 0; i < o.common.devices.size() && !failure && !stop.received(); ++i) {
    TrainingResult r = train(options_of_run(o, i), o.common.devices[i], data, stop);
    failure = r.failure;
    if (!r.loss.empty() || !r.evaluations.empty()) results.push_back(std::move(r));
  }
  try {
    report(results, o);
  } catch (const Error& e) {
    if (!failure && !stop.received()) throw;
    std::fprintf(stderr, "cutset: note: the results could not be written: %s\n", e.what());
  }
  if (failure) std::rethrow_exception(failure);
  if (stop.received()) throw Stopped{stop.received()};
}

}  // namespace

void add_train(CLI::App& app) {
  auto o = std::make_shared<TrainingOptions>();
  CLI::App* command =
      app.add_subcommand("train",
                         "train a built-in model or an ONNX model; several --devices are compared in one "
                         "table");
  o->common.add_to(*command, {.several_devices = true, .log = true, .picture = true, .json = true});
  o->samples.add_to(*command, true);
  o->checkpoints.add_to(*command);
  command->add_option("--epochs", o->epochs, "epochs, each over the training set or over --order")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  command
      ->add_option("--steps", o->steps, "the number of training steps, with those before --resume; replaces --epochs")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  o->rate.add_to(*command);
  o->init.add_to(*command);
  command->add_option("--order", o->order, "file with indices of samples; every epoch uses these samples in this order")
      ->check(path_name());
  command
      ->add_option(
          "--save", o->save,
          "file for the variables (safetensors), written at the end, when a step fails, and when SIGINT or SIGTERM "
          "stops training; with several --devices, FILE.1.EXT, FILE.2.EXT and so on")
      ->check(path_name());
  command->add_option("--save-every", o->save_every, "also write the variables whenever this number of steps is done")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command
      ->add_option(
          "--trace", o->trace,
          "file for the times of all instructions in steps 2 to 6, for ui.perfetto.dev; with several --devices, the "
          "files of --trace and --dot and the folders of --dump-dir and --checkpoint-dir are numbered as those of "
          "--save")
      ->check(path_name());
  command->add_flag("--quiet", o->quiet,
                    "print no progress bar and no line per epoch; --json - also leaves out the lines");
  command->add_flag("!--no-evaluate", o->evaluate, "do not evaluate on the test set");
  command->callback([o] { run(*o); });
}

}  // namespace cutset::cli
