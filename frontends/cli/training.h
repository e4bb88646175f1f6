// One training run.
#pragma once
#include <cutset/cutset.h>
#include <cutset/schedule.h>

#include <exception>
#include <string>
#include <vector>

#include "frontends/cli/options.h"
#include "frontends/cli/signals.h"

namespace cutset::cli {

struct TrainingOptions {
  CommonOptions common;
  int64_t epochs = 1, steps = 0;  // steps 0: whole epochs
  int64_t save_every = 0;         // steps; 0: only at the end
  std::string data, init, order, save, trace;
  bool evaluate = true;
  Schedule schedule;  // without its rate and length, which the options above say
};

// The samples of a run, read once for all runs.
struct TrainingData {
  data::Dataset training, test;
};
// Throws cutset::Error.
TrainingData read_training_data(const TrainingOptions& options);

struct TrainingResult {
  std::string devices, strategy;
  std::vector<double> loss, accuracy, step_ms;
  double first_step_s = 0;
  std::vector<Transfer> transfers;
  std::vector<MemoryUse> memory;
  int signal = 0;              // that stopped it, or 0
  std::exception_ptr failure;  // that ended it, or null

  std::string failed() const;  // what the failure says; empty without one
  double median_ms() const;    // without the first step
  double min_ms() const;
};

// Trains on `devices`. What ends it early, a failure or a signal, is in the result beside what was done until then;
// the variables of the last good step are saved to --save in any case, unless there was no step.
TrainingResult train(const TrainingOptions& options, const std::string& devices, const TrainingData& data,
                     const StopSignals& stop);

}  // namespace cutset::cli
