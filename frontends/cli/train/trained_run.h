// SPDX-License-Identifier: Apache-2.0
// The results of one training run, for reports.
#pragma once
#include <cutset/cutset.h>

#include <exception>
#include <string>
#include <vector>

namespace cutset::cli {

struct TrainedRun {
  std::string devices, strategy;
  TrainingResult result;
  double first_step_s = 0;  // from the loading of the program to the end of the first step
  std::vector<Transfer> transfers;
  std::vector<MemoryUse> memory;
  int signal = 0;              // the signal that stopped the run, or 0
  std::exception_ptr failure;  // the exception that ended the run, or null

  std::string failed() const;  // the error message of the failure, or empty
  double median_ms() const;    // the median of all steps except the first, or of the only step
  double min_ms() const;       // the minimum of the same steps
};

}  // namespace cutset::cli
