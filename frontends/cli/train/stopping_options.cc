#include "frontends/cli/train/stopping_options.h"

#include "frontends/cli/options.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {

void StoppingOptions::add_to(CLI::App& app) {
  app.add_option("--metric", metric,
                 "the metric of the best evaluation, for best.safetensors and --early-stopping: accuracy, "
                 "accuracy_top5 or loss; default: accuracy, or the loss if the model counts no accuracy")
      ->check(CLI::IsMember({"accuracy", "accuracy_top5", "loss"}));
  app.add_option("--early-stopping", patience,
                 "end the run after this number of evaluations in a row that are not better than the best one before")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--min-delta", min_delta,
                 "how much better than the best one an evaluation must be for --early-stopping; default: 0")
      ->check(number_between(0, 1e38));
}

void StoppingOptions::check_use(bool evaluates) const {
  if (min_delta && !patience)
    raise(invalid_argument("--min-delta is for --early-stopping", "give --early-stopping N, or leave it out"));
  if ((patience || !metric.empty()) && !evaluates)
    raise(invalid_argument("--early-stopping and --metric need samples for an evaluation",
                           "give them by --test-data or --test-samples, leave out --no-evaluate, or leave out these "
                           "options"));
}

std::optional<EarlyStopping> StoppingOptions::early_stopping() const {
  if (!patience) return std::nullopt;
  return EarlyStopping{.patience = *patience, .min_delta = min_delta.value_or(0)};
}

}  // namespace cutset::cli
