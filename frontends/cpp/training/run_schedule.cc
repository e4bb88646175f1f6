// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/run_schedule.h"

#include <algorithm>

#include "frontends/cpp/checks/failure.h"
#include "ir/core/number_text.h"

namespace cutset {
namespace {

using Kind = LearningRateSchedule::Kind;

constexpr char kInStep[] = " in step ";  // is followed by the last step

bool ends(const LearningRateSchedule& s) { return s.kind == Kind::kCosine || s.kind == Kind::kLinear; }

}  // namespace

LearningRateSchedule schedule_of_run(LearningRateSchedule schedule, int64_t steps,
                                     const TrainerNames& names) {
  const bool follows = schedule.total_steps == 0;
  if (follows) schedule.total_steps = std::max<int64_t>(1, steps - 1);
  // A run without a step has too few samples, which is reported elsewhere.
  if (ends(schedule) && follows && steps > 0 && schedule.total_steps <= schedule.warmup_steps)
    raise(invalid_argument("a run of " + std::to_string(steps) + " steps with " + names.warmup_steps + " " +
                               std::to_string(schedule.warmup_steps) + " leaves " + names.schedule + " " +
                               name_of(schedule.kind) + " no step between the warm-up and the last step",
                           "give fewer " + names.warmup_steps + ", or more " + names.length));
  if (steps > 0) (void)schedule.at(0);  // throws if a number is out of its range
  return schedule;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kConstant:
      return "constant";
    case Kind::kStep:
      return "step";
    case Kind::kCosine:
      return "cosine";
    case Kind::kLinear:
      return "linear";
  }
  return "unknown";
}

std::string description(const LearningRateSchedule& s) {
  std::string text = shortest_text(s.rate);
  if (s.warmup_steps) text += " after " + std::to_string(s.warmup_steps) + " warm-up steps";
  if (s.kind == Kind::kStep)
    text += ", times " + shortest_text(s.decay) + " every " + std::to_string(s.step_size) + " steps";
  if (ends(s))
    text += std::string(", ") + name_of(s.kind) + " to " + shortest_text(s.final_rate) + kInStep +
            std::to_string(static_cast<uint64_t>(s.total_steps) + 1);
  return text;
}

bool depends_on_last_step(const std::string& text) { return text.find(kInStep) != std::string::npos; }

}  // namespace cutset
