// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/checkpoint_flags.h"

#include "frontends/cli/options/options.h"
#include "frontends/cpp/checks/failure.h"

namespace cutset::cli {

void CheckpointFlags::add_to(CLI::App& app) {
  app.option_defaults()->group("Checkpoints");
  app.add_option("--checkpoint-dir", folder, "folder for checkpoints, from which --resume continues")
      ->check(path_name());
  app.add_option("--checkpoint-every", every, "steps between checkpoints; default: an epoch")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--checkpoint-minutes", minutes, "minutes between checkpoints")
      ->check(number_between(0.001, 1e6));
  keep_option = app.add_option("--keep", keep, "checkpoints that stay in the folder; default: 3")
                    ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  app.add_option("--resume", from, "continue the run of this checkpoint, or of this folder")
      ->check(path_name());
  app.add_option("--save", file, "file for the variables at the end (safetensors)")->check(path_name());
  app.add_option("--save-every", file_every, "steps between writes of that file")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
}

void CheckpointFlags::check_use() const {
  if (file_every && file.empty())
    raise(invalid_argument("--save-every needs a file to save to", "give --save FILE"));
  if ((every || minutes > 0 || keep_option->count() > 0) && folder.empty())
    raise(invalid_argument("--checkpoint-every, --checkpoint-minutes and --keep need a folder",
                           "give --checkpoint-dir DIR"));
}

}  // namespace cutset::cli
