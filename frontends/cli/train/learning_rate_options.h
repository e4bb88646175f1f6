// SPDX-License-Identifier: Apache-2.0
// The options for the schedule of the learning rate.
#pragma once
#include <cutset/learning_rate_schedule.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace cutset::cli {

struct LearningRateOptions {
  std::string kind = "constant";
  int64_t warmup_steps = 0;
  std::optional<int64_t> step_size;
  std::optional<double> decay, final_rate;  // nothing: the defaults of LearningRateSchedule

  void add_to(CLI::App& app);
  // Throws a cutset::Error if the schedule does not use an option that the user gave, or lacks an option that
  // it needs.
  void check_use() const;
  // Returns the schedule of a run whose largest rate is `rate`. The last step has --lr-final.
  LearningRateSchedule schedule(double rate) const;
};

}  // namespace cutset::cli
