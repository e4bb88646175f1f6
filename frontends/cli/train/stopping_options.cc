// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/stopping_options.h"

#include "frontends/cli/options/options.h"
#include "frontends/cpp/checks/failure.h"

namespace cutset::cli {

void StoppingOptions::add_to(CLI::App& app) {
  app.option_defaults()->group("Evaluation");
  app.add_option("--metric", metric, "what makes an evaluation the best: accuracy, accuracy_top5 or loss")
      ->transform(one_of({"accuracy", "accuracy_top5", "loss"}));
  app.add_option("--early-stopping", patience, "end after this number of evaluations that are no better")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app.add_option("--min-delta", min_delta, "how much better a better evaluation is")
      ->check(number_between(0, 1e38));
}

void StoppingOptions::check_use(bool evaluates) const {
  if (min_delta && !patience)
    raise(
        invalid_argument("--min-delta is for --early-stopping", "give --early-stopping N, or leave it out"));
  if ((patience || !metric.empty()) && !evaluates)
    raise(invalid_argument(
        "--early-stopping and --metric need samples for an evaluation",
        "give them by --test-data or --test-samples, leave out --no-evaluate, or leave out these "
        "options"));
}

std::optional<EarlyStopping> StoppingOptions::early_stopping() const {
  if (!patience) return std::nullopt;
  return EarlyStopping{.patience = *patience, .min_delta = min_delta.value_or(0)};
}

}  // namespace cutset::cli
