// SPDX-License-Identifier: Apache-2.0
// The learning-rate schedule of a training run.
#pragma once
#include <cutset/learning_rate_schedule.h>
#include <cutset/trainer_names.h>

#include <cstdint>
#include <string>

namespace cutset {

// Returns the schedule of a run of `steps` steps: if `total_steps` is 0, the last step gets the final rate.
// Throws a cutset::Error if a number of the schedule is out of its range, or if the warm-up leaves no step
// for a schedule that ends.
LearningRateSchedule schedule_of_run(LearningRateSchedule schedule, int64_t steps, const TrainerNames& names);

// Returns the name of the kind, such as "cosine".
const char* name_of(LearningRateSchedule::Kind kind);
// Returns all properties that the rates of the steps depend on, as one text. Two schedules with the same text
// give each step the same rate.
std::string description(const LearningRateSchedule& schedule);
// Whether the text, a result of description(), describes a schedule whose rates depend on the last step.
bool depends_on_last_step(const std::string& description);

}  // namespace cutset
