// One training run, and what is measured of it.
#pragma once
#include <cutset/cutset.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontends/cli/options.h"

namespace cutset::cli {

struct TrainingOptions {
  CommonOptions common;
  int64_t epochs = 1, steps = 0;  // steps 0: whole epochs
  double learning_rate = 0.01, momentum = 0.9;
  std::string data, init, order, save, trace;
  bool evaluate = true;
};

struct TrainingResult {
  std::string devices, strategy;
  std::vector<double> loss, accuracy, step_ms;
  double first_step_s = 0;
  std::vector<Transfer> transfers;
  std::vector<MemoryUse> memory;

  double median_ms() const;  // without the first step
  double min_ms() const;
  nlohmann::json json(const TrainingOptions& options) const;
};

// Trains on `devices`; throws cutset::Error, after saving the variables of the last good step to --save.
TrainingResult train(const TrainingOptions& options, const std::string& devices);

// The table that compares runs, the first being what the others are compared with.
std::string comparison(const std::vector<TrainingResult>& results, int64_t batch);

}  // namespace cutset::cli
