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
  // Throws a cutset::Error if the schedule does not use an option that the user gave, or lacks one.
  void check_use() const;
  // The schedule of a run of `steps` steps, whose largest rate is `rate`. The last step has --lr-final. Throws a cutset::Error if the
  // warm-up leaves no step for a schedule that ends.
  LearningRateSchedule of_run(double rate, int64_t steps) const;
};

// What the rates of the steps depend on, as one text: two schedules with the same text give each step the same rate.
std::string description(const LearningRateSchedule& schedule);
// Whether the text, a result of description(), is that of a schedule whose rates depend on the last step.
bool depends_on_last_step(const std::string& description);

}  // namespace cutset::cli
