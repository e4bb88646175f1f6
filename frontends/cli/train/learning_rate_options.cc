#include "frontends/cli/train/learning_rate_options.h"

#include <algorithm>
#include <map>

#include "frontends/cli/options.h"
#include "frontends/cpp/failure.h"
#include "ir/core/number_text.h"

namespace cutset::cli {
namespace {

constexpr char kInStep[] = " in step ";  // is followed by the last step

}  // namespace

void LearningRateOptions::add_to(CLI::App& app) {
  app.add_option("--lr-schedule", kind,
                 "schedule of the learning rate: constant; step (multiplied by --lr-decay after every --lr-step-size "
                 "steps); cosine or linear (reaches --lr-final in the last step)")
      ->transform(CLI::IsMember({"constant", "step", "cosine", "linear"}, CLI::ignore_case))
      ->capture_default_str();
  app.add_option("--warmup-steps", warmup_steps,
                 "steps in which the rate rises linearly to --learning-rate, before the schedule begins")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--lr-step-size", step_size, "steps between two decays of --lr-schedule step")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--lr-decay", decay, "factor of each decay of --lr-schedule step; default: 0.1")
      ->check(number_between(0, 1e38));
  app.add_option("--lr-final", final_rate, "last learning rate of the schedules cosine and linear; default: 0")
      ->check(number_between(0, 1e38));
}

void LearningRateOptions::check_use() const {
  const bool ends = kind == "cosine" || kind == "linear";
  if (kind != "step" && (step_size || decay))
    raise(invalid_argument("--lr-step-size and --lr-decay are for --lr-schedule step, and the schedule is " + kind,
                           "give --lr-schedule step, or leave them out"));
  if (!ends && final_rate)
    raise(invalid_argument("--lr-final is for --lr-schedule cosine and linear, and the schedule is " + kind,
                           "give one of these schedules, or leave it out"));
  if (kind == "step" && !step_size)
    raise(invalid_argument("--lr-schedule step does not say after how many steps the rate decays",
                           "give --lr-step-size N"));
}

LearningRateSchedule LearningRateOptions::of_run(double rate, int64_t steps) const {
  using Kind = LearningRateSchedule::Kind;
  const std::map<std::string, Kind> kinds = {
      {"constant", Kind::kConstant}, {"step", Kind::kStep}, {"cosine", Kind::kCosine}, {"linear", Kind::kLinear}};
  LearningRateSchedule made{.kind = kinds.at(kind), .rate = rate, .warmup_steps = warmup_steps};
  made.total_steps = std::max<int64_t>(1, steps - 1);
  made.step_size = step_size.value_or(made.step_size), made.decay = decay.value_or(made.decay);
  made.final_rate = final_rate.value_or(made.final_rate);
  // A run without a step has too few samples, which is an error of its own.
  if ((made.kind == Kind::kCosine || made.kind == Kind::kLinear) && steps > 0 && made.total_steps <= warmup_steps)
    raise(invalid_argument("a run of " + std::to_string(steps) + " steps with --warmup-steps " +
                               std::to_string(warmup_steps) + " leaves --lr-schedule " + kind +
                               " no step between the warm-up and the last step",
                           "give fewer --warmup-steps, or more --steps or --epochs"));
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
