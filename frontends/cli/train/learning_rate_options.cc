#include "frontends/cli/train/learning_rate_options.h"

#include <algorithm>
#include <map>

#include "frontends/cli/options.h"
#include "ir/core/number_text.h"

namespace cutset::cli {
namespace {

constexpr char kInStep[] = " in step ";  // is followed by the last step

}  // namespace

void LearningRateOptions::add_to(CLI::App& app) {
  const std::map<std::string, LearningRateSchedule::Kind> kinds = {{"constant", LearningRateSchedule::Kind::kConstant},
                                                                   {"step", LearningRateSchedule::Kind::kStep},
                                                                   {"cosine", LearningRateSchedule::Kind::kCosine},
                                                                   {"linear", LearningRateSchedule::Kind::kLinear}};
  app.add_option("--lr-schedule", schedule.kind,
                 "schedule of the learning rate: constant; step (multiplied by --lr-decay after every --lr-step-size "
                 "steps); cosine or linear (reaches --lr-final in the last step)")
      ->transform(CLI::CheckedTransformer(kinds));
  app.add_option("--warmup-steps", schedule.warmup_steps,
                 "steps in which the rate rises linearly to --learning-rate, before the schedule begins")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--lr-step-size", schedule.step_size, "steps between two decays of --lr-schedule step")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--lr-decay", schedule.decay, "factor of each decay of --lr-schedule step")
      ->check(number_between(0, 1e38))
      ->capture_default_str();
  app.add_option("--lr-final", schedule.final_rate, "last learning rate of the schedules cosine and linear")
      ->check(number_between(0, 1e38))
      ->capture_default_str();
}

LearningRateSchedule LearningRateOptions::of_run(double rate, int64_t steps) const {
  LearningRateSchedule made = schedule;
  made.rate = rate, made.total_steps = std::max<int64_t>(1, steps - 1);
  return made;
}

std::string description(const LearningRateSchedule& s) {
  using Kind = LearningRateSchedule::Kind;
  std::string text = shortest_text(s.rate);
  if (s.warmup_steps) text += " after " + std::to_string(s.warmup_steps) + " warm-up steps";
  if (s.kind == Kind::kStep)
    text += ", times " + shortest_text(s.decay) + " every " + std::to_string(s.step_size) + " steps";
  if (s.kind == Kind::kCosine || s.kind == Kind::kLinear)
    text += std::string(s.kind == Kind::kCosine ? ", cosine" : ", linear") + " to " + shortest_text(s.final_rate) +
            kInStep + std::to_string(s.total_steps + 1);
  return text;
}

bool depends_on_last_step(const std::string& description) { return description.find(kInStep) != std::string::npos; }

}  // namespace cutset::cli
