// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/trainer_options.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/training/best_metric.h"

namespace cutset {
namespace {

void require_at_least(const char* member, int64_t value, int64_t least) {
  if (value < least)
    raise(invalid_argument(std::string(member) + " is " + std::to_string(value) + ", and must be at least " +
                           std::to_string(least)));
}

void check_checkpoints(const CheckpointOptions& o) {
  require_at_least("checkpoints.every", o.every, 0);
  require_at_least("checkpoints.keep", o.keep, 1);
  require_at_least("checkpoints.file_every", o.file_every, 0);
  if (!std::isfinite(o.minutes) || o.minutes < 0)
    raise(
        invalid_argument("checkpoints.minutes is " + std::to_string(o.minutes) + ", and must be at least 0"));
  if (o.resume && !o.from.empty())
    raise(invalid_argument("checkpoints.resume and checkpoints.from are both given", "give one of them"));
  if (o.folder.empty() && (o.every || o.minutes > 0 || o.resume))
    raise(invalid_argument("checkpoints.every, checkpoints.minutes and checkpoints.resume need a folder",
                           "give checkpoints.folder"));
  if (o.file_every && o.file.empty())
    raise(invalid_argument("checkpoints.file_every needs a file", "give checkpoints.file"));
}

void check_evaluation(const TrainerOptions& o) {
  require_at_least("evaluate_every", o.evaluate_every, 0);
  if (!o.evaluation && (o.evaluate_every || o.early_stopping || !o.metric.name.empty()))
    raise(invalid_argument("evaluate_every, metric and early_stopping need samples for an evaluation",
                           "give evaluation, a data set"));
  if (!o.early_stopping) return;
  require_at_least("early_stopping.patience", o.early_stopping->patience, 1);
  if (const double delta = o.early_stopping->min_delta; !std::isfinite(delta) || delta < 0)
    raise(invalid_argument("early_stopping.min_delta is " + std::to_string(delta) +
                           ", and must be at least 0"));
  if (o.early_stopping->restore_best && o.checkpoints.folder.empty())
    raise(invalid_argument("early_stopping.restore_best needs a folder for the best checkpoint",
                           "give checkpoints.folder"));
}

}  // namespace

void check_options(const TrainerOptions& o) {
  require_at_least("batch", o.batch, 1);
  require_at_least("epochs", o.epochs, 1);
  require_at_least("steps", o.steps, 0);
  require_at_least("prefetch", o.prefetch, 1);
  require_at_least("log.every", o.log.every, 1);
  check_checkpoints(o.checkpoints);
  check_evaluation(o);
  for (const RunProperty& p : o.properties)
    for (const char* own :
         {"", "epoch", "batches", "first_step", "batch", "samples", "seed", "learning_rate", "network",
          "best", "evaluated_step", "stopping_best", "stopping_waited", "stopped"})
      if (p.name == own) raise(invalid_argument("a property of a run cannot have the name '" + p.name + "'"));
}

std::vector<RunProperty> properties_of_choice(const TrainerOptions& o,
                                              const std::vector<std::string>& metrics) {
  constexpr char kHint[] = "give the metric and the early stopping of the first run";
  const std::string by_default = "accuracy or loss";
  const std::string& name = o.metric.name;
  std::string metric = is_default(o.metric, metrics) ? by_default : name;
  // A direction may be left out if the metric has it by default.
  if (metric != by_default && o.metric.larger_is_better && o.metric.larger_is_better != known_direction(name))
    metric += *o.metric.larger_is_better ? ", the larger" : ", the smaller";
  std::string stopping = description(o.early_stopping);
  if (o.early_stopping && o.evaluate_every)
    stopping += ", evaluated every " + std::to_string(o.evaluate_every) + " steps";
  std::string order = o.shuffle ? "shuffled" : "as given";
  if (o.drop_remainder) order += ", whole batches only";
  return {
      {.name = "order",
       .value = order,
       .what = "the order of the samples",
       .hint = "give shuffle and drop_remainder of the first run",
       .by_default = "shuffled"},
      {.name = "metric", .value = metric, .what = "the best metric", .hint = kHint, .by_default = by_default},
      {.name = "early_stopping",
       .value = stopping,
       .what = "early stopping:",
       .hint = kHint,
       .by_default = description(std::optional<EarlyStopping>())}};
}

void add_missing(std::vector<RunProperty>& properties, std::vector<RunProperty> more) {
  for (RunProperty& p : more)
    if (std::ranges::none_of(properties, [&](const RunProperty& own) { return own.name == p.name; }))
      properties.push_back(std::move(p));
}

}  // namespace cutset
