// The results of a training run.
#pragma once
#include <cutset/cutset.h>

#include <exception>
#include <string>
#include <vector>

#include "frontends/cli/train/evaluation.h"

namespace cutset::cli {

struct TrainingResult {
  std::string devices, strategy;
  int64_t first_step = 0;               // the steps that were complete before this run
  std::vector<double> loss, step_ms;    // per step of this run; times in milliseconds
  std::vector<Evaluation> evaluations;  // in their order; Evaluation::step says when
  double first_step_s = 0;              // from the loading of the program to the end of the first step
  std::vector<Transfer> transfers;
  std::vector<MemoryUse> memory;
  std::string saved_to;        // the newest file with the variables behind the last step; empty: none
  int signal = 0;              // the signal that stopped the run, or 0
  std::exception_ptr failure;  // the exception that ended the run, or null

  std::string failed() const;  // the error message of the failure, or empty
  double median_ms() const;    // of all steps except the first, or of the only step
  double min_ms() const;       // of the same steps
};

}  // namespace cutset::cli
