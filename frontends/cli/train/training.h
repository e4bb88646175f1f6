// One training run.
#pragma once
#include <cutset/cutset.h>

#include <exception>
#include <string>
#include <vector>

#include "frontends/cli/initial_variables.h"
#include "frontends/cli/options.h"
#include "frontends/cli/samples.h"
#include "frontends/cli/signals.h"
#include "frontends/cli/train/checkpoints.h"
#include "frontends/cli/train/evaluation.h"
#include "frontends/cli/train/learning_rate_options.h"
#include "frontends/cli/train/onnx_training.h"

namespace cutset::cli {

// The options of cutset train.
struct TrainingOptions {
  CommonOptions common;
  int64_t epochs = 1, steps = 0;  // of the whole run, with the steps before --resume; steps 0: they follow from epochs
  int64_t save_every = 0;         // steps between writes of `save`; 0: only at the end
  InitialVariables init;
  std::string order, save, trace;
  bool evaluate = true;
  bool quiet = false;  // whether the progress bar and the lines per epoch are left out
  SampleOptions samples;
  CheckpointOptions checkpoints;
  OnnxTrainingOptions onnx;
  LearningRateOptions rate;
};

// The samples, which are read once and shared by all runs.
struct TrainingData {
  data::Dataset training;
  std::optional<data::Dataset> test;  // without it, there is no evaluation
  bool whole_batches = false;         // whether samples that do not fill a batch are left out
  std::string source;                 // what the samples are and in which order, for checkpoints
  std::string contents;               // a hash of the samples; empty if the run reads and writes no checkpoint

  // The number of steps per epoch.
  int64_t steps_per_epoch(int64_t batch) const;
};
// Reads the samples and their order. Throws a cutset::Error if a file is missing or malformed.
TrainingData read_training_data(const TrainingOptions& options);

// The results of one run.
struct TrainingResult {
  std::string devices, strategy;
  int64_t first_step = 0;               // the steps that were complete before this run
  std::vector<double> loss, step_ms;    // per step of this run; times in milliseconds
  std::vector<Evaluation> evaluations;  // per epoch
  double first_step_s = 0;              // from the start of the process to the end of the first step
  std::vector<Transfer> transfers;
  std::vector<MemoryUse> memory;
  int signal = 0;              // the signal that stopped the run, or 0
  std::exception_ptr failure;  // the exception that ended the run, or null

  std::string failed() const;  // the error message of the failure, or empty
  double median_ms() const;    // of all steps except the first, or of the only step
  double min_ms() const;       // of the same steps
};

// Trains on `devices`. If a failure or a signal ends the run early, the result holds it beside the results of all
// completed steps. The variables are saved to --save in each case, unless no step was completed or a
// value is not finite.
TrainingResult train(const TrainingOptions& options, const std::string& devices, const TrainingData& data,
                     const StopSignals& stop);

}  // namespace cutset::cli
