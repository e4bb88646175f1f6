// SPDX-License-Identifier: Apache-2.0
// The options of cutset train.
#pragma once
#include <cstdint>
#include <string>

#include "frontends/cli/options/initial_variables.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/options/samples.h"
#include "frontends/cli/train/checkpoint_flags.h"
#include "frontends/cli/train/learning_rate_options.h"
#include "frontends/cli/train/stopping_options.h"

namespace cutset::cli {

struct TrainingOptions {
  CommonOptions common;
  // `steps`: the steps of the whole run, including those before --resume; 0: `epochs` determines them.
  int64_t epochs = 1, steps = 0;
  InitialVariables init;
  std::string order, trace;
  bool evaluate = true;
  bool quiet =
      false;  // whether the progress bar, the lines per epoch and the notes on the samples are left out
  bool notes = true;  // whether this run prints the notes on the samples, which are the same in all runs
  SampleOptions samples;
  CheckpointFlags checkpoints;  // its member `file` is the file of --save
  LogOptions log;
  LearningRateOptions rate;
  StoppingOptions stopping;

  // Whether the run reads or writes a checkpoint, which contains hashes of the samples and the network.
  bool has_checkpoints() const { return !(checkpoints.file + checkpoints.folder + checkpoints.from).empty(); }
};

}  // namespace cutset::cli
