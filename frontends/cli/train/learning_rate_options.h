// The options for the schedule of the learning rate.
#pragma once
#include <cutset/learning_rate_schedule.h>

#include <CLI/CLI.hpp>
#include <string>

namespace cutset::cli {

struct LearningRateOptions {
  LearningRateSchedule schedule;  // without rate and total_steps, which other options determine

  void add_to(CLI::App& app);
  // The schedule of a run of `steps` steps, whose largest rate is `rate`. The last step has --lr-final.
  LearningRateSchedule of_run(double rate, int64_t steps) const;
};

// What the rates of the steps depend on, as one text: two schedules with the same text give each step the same rate.
std::string description(const LearningRateSchedule& schedule);
// Whether the text, a result of description(), is that of a schedule whose rates depend on the last step.
bool depends_on_last_step(const std::string& description);

}  // namespace cutset::cli
