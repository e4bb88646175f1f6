// SPDX-License-Identifier: Apache-2.0
#include <cutset/learning_rate_schedule.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "frontends/cpp/checks/failure.h"

namespace cutset {

double LearningRateSchedule::at(int64_t step) const {
  auto sound = [](double v) { return std::isfinite(v) && v >= 0; };
  if (!sound(rate) || !sound(decay) || !sound(final_rate))
    raise(invalid_argument("a schedule's rate, decay or final rate is negative or not finite"));
  if (step < 0 || warmup_steps < 0)
    raise(invalid_argument("the step and the warm-up steps of a schedule must not be negative; they are " +
                           std::to_string(step) + " and " + std::to_string(warmup_steps)));
  if (kind == Kind::kStep && step_size < 1)
    raise(invalid_argument("a step schedule cannot decay every " + std::to_string(step_size) + " steps",
                           "step_size must be 1 or more"));
  const bool ends = kind == Kind::kCosine || kind == Kind::kLinear;
  if (ends && total_steps <= warmup_steps)
    raise(invalid_argument("a schedule of " + std::to_string(total_steps) + " steps with a warm-up of " +
                               std::to_string(warmup_steps) + " has no step left",
                           "the warm-up must be shorter"));
  if (step < warmup_steps) return rate * static_cast<double>(step + 1) / static_cast<double>(warmup_steps);
  const int64_t since = step - warmup_steps;
  if (kind == Kind::kStep) return rate * std::pow(decay, static_cast<double>(since / step_size));
  if (!ends) return rate;
  const double done =
      std::min(1.0, static_cast<double>(since) / static_cast<double>(total_steps - warmup_steps));
  const double left = kind == Kind::kLinear ? 1 - done : (1 + std::cos(std::numbers::pi * done)) / 2;
  return final_rate + (rate - final_rate) * left;
}

}  // namespace cutset
