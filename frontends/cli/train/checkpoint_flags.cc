#include "frontends/cli/train/checkpoint_flags.h"

#include "frontends/cli/options.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {

void CheckpointFlags::add_to(CLI::App& app) {
  app.add_option(
         "--checkpoint-dir", folder,
         "folder for checkpoints, each named step-N.safetensors, and for best.safetensors, the first that had the best "
         "top-1 accuracy of all evaluations (or the lowest loss, if the model counts no accuracy, or what --metric "
         "names); one is written at "
         "the end, and when SIGINT, SIGTERM or SIGHUP stops training; no other run may use the folder meanwhile")
      ->check(path_name());
  app.add_option(
         "--checkpoint-every", every,
         "steps between checkpoints; default: one is written after each epoch, unless --checkpoint-minutes is given")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--checkpoint-minutes", minutes, "minutes between checkpoints")->check(number_between(0.001, 1e6));
  keep_option = app.add_option("--keep", keep,
                               "the number of checkpoints that stay in the folder; older ones are removed; default: 3")
                    ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  app.add_option(
         "--resume", from,
         "a checkpoint, or a folder whose newest checkpoint is taken: continue the run that wrote it; the results are "
         "bitwise those of a run that did not stop if the other options are the same; the devices and the strategy may "
         "be others; with several --devices, each run continues from its own numbered folder, or all from one file")
      ->check(path_name());
}

void CheckpointFlags::check_use() const {
  if (file_every && file.empty()) raise(invalid_argument("--save-every needs a file to save to", "give --save FILE"));
  if ((every || minutes > 0 || keep_option->count() > 0) && folder.empty())
    raise(invalid_argument("--checkpoint-every, --checkpoint-minutes and --keep need a folder",
                           "give --checkpoint-dir DIR"));
}

}  // namespace cutset::cli
