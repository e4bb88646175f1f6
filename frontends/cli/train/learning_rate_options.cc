// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/learning_rate_options.h"

#include <map>

#include "frontends/cli/options/options.h"
#include "frontends/cpp/checks/failure.h"

namespace cutset::cli {

void LearningRateOptions::add_to(CLI::App& app) {
  app.option_defaults()->group("Learning rate");
  app.add_option("--lr-schedule", kind, "constant, step, cosine or linear")
      ->transform(one_of({"constant", "step", "cosine", "linear"}))
      ->capture_default_str();
  app.add_option("--warmup-steps", warmup_steps, "steps in which the rate rises to --learning-rate")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--lr-step-size", step_size, "steps between two decays (step)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--lr-decay", decay, "factor of each decay (step)")->check(number_between(0, 1e38));
  app.add_option("--lr-final", final_rate, "last learning rate (cosine, linear)")
      ->check(number_between(0, 1e38));
}

void LearningRateOptions::check_use() const {
  const bool ends = kind == "cosine" || kind == "linear";
  if (kind != "step" && (step_size || decay))
    raise(invalid_argument(
        "--lr-step-size and --lr-decay are for --lr-schedule step, and the schedule is " + kind,
        "give --lr-schedule step, or leave them out"));
  if (!ends && final_rate)
    raise(invalid_argument("--lr-final is for --lr-schedule cosine and linear, and the schedule is " + kind,
                           "give one of these schedules, or leave it out"));
  if (kind == "step" && !step_size)
    raise(invalid_argument("--lr-schedule step does not say after how many steps the rate decays",
                           "give --lr-step-size N"));
}

LearningRateSchedule LearningRateOptions::schedule(double rate) const {
  using Kind = LearningRateSchedule::Kind;
  const std::map<std::string, Kind> kinds = {{"constant", Kind::kConstant},
                                             {"step", Kind::kStep},
                                             {"cosine", Kind::kCosine},
                                             {"linear", Kind::kLinear}};
  LearningRateSchedule result{.kind = kinds.at(kind), .rate = rate, .warmup_steps = warmup_steps};
  result.step_size = step_size.value_or(result.step_size);
  result.decay = decay.value_or(result.decay);
  result.final_rate = final_rate.value_or(result.final_rate);
  return result;
}

}  // namespace cutset::cli
