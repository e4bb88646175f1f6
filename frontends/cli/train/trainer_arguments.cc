// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/trainer_arguments.h"

#include <set>

#include "ir/core/names.h"

namespace cutset::cli {
namespace {

const std::string kBeginAgain = ", or begin a new run with the variables of the file by --init";

// Returns the names that are frozen, in an order that does not depend on the order of the options.
std::string description_of_frozen(const CommonOptions& o) {
  const bool except = !o.freeze_except.empty();
  const std::vector<std::string>& list = except ? o.freeze_except : o.freeze;
  const std::set<std::string> names(list.begin(), list.end());
  const std::vector<std::string> once(names.begin(), names.end());
  return names.empty() ? "none" : (except ? "all but " : "") + quoted_list(once, once.size());
}

std::vector<RunProperty> properties_of(const TrainingOptions& o, const TrainingData& data) {
  const CommonOptions& c = o.common;
  const std::string loss = is_onnx(c.model) ? c.onnx_loss.description() : "the loss of the model";
  // The checkpoint notes the source and the model elsewhere.
  const std::string order = "the order of the source and the model";
  std::vector<RunProperty> all = {
      {.name = "source",
       .value = data.source,
       .what = "the samples",
       .hint = "give the samples and the order that the first run had"},
      {.name = "all_samples",
       .value = data.contents,
       .what = "data files of",
       .hint = "the files have changed since then; give the samples of the first run" + kBeginAgain},
      {.name = "optimizer",
       .value = c.optimizer.description(),
       .what = "the optimizer",
       .hint =
           "give --optimizer, --momentum and --weight-decay as in the first run, and so --beta1, --beta2, "
           "--epsilon, --clip-norm, --clip-value and --average-weights" +
           kBeginAgain},
      {.name = "loss",
       .value = loss + c.loss.description(),
       .what = "the loss",
       .hint = "give --loss, --result and --class-axis as in the first run, and so --ignore-index, "
               "--class-weights and --label-smoothing" +
               kBeginAgain},
      {.name = "frozen",
       .value = description_of_frozen(c),
       .what = "frozen variables:",
       .hint = "give --freeze or --freeze-except as in the first run" + kBeginAgain},
      {.name = "order", .value = order, .by_default = order}};
  if (!data.test_contents.empty())
    all.push_back({.name = "evaluation",
                   .value = data.test_contents,
                   .what = "evaluations on",
                   .hint = "give the samples for the evaluation of the first run" + kBeginAgain,
                   .optional = true});
  return all;
}

TrainerNames names_of_options() {
  return {.batch = "--batch",
          .seed = "--seed",
          .length = "--steps or --epochs",
          .learning_rate = "--learning-rate",
          .schedule = "--lr-schedule",
          .warmup_steps = "--warmup-steps",
          .rates = "the learning-rate options",
          .from = "--resume",
          .initial = "--init",
          .writer = "cutset train",
          .program = "cutset",
          .samples =
              "the samples, the order and the --size that the first run had; the number of samples of a text "
              "depends on the length of the sequences",
          .model = "the model, its sizes and the optimizer of the first run",
          .network = "the model, --size, --dropout and --dtype of the first run"};
}

}  // namespace

TrainerOptions trainer_options(const TrainingOptions& o, const TrainingData& data, const Session& session) {
  const CommonOptions& c = o.common;
  return {.batch = c.batch,
          .epochs = o.epochs,
          .steps = o.steps,
          .shuffle = o.order.empty(),
          .seed = c.seed,
          .drop_remainder = data.whole_batches,
          .schedule = o.rate.schedule(session.hyper_parameter("learning_rate")),
          .evaluation = data.test,
          .checkpoints = o.checkpoints,
          .metric = {.name = o.stopping.metric},
          .early_stopping = o.stopping.early_stopping(),
          .log = o.log,
          .properties = properties_of(o, data),
          .check_samples = false,  // `data` has the checksum of the files
          .names = names_of_options()};
}

}  // namespace cutset::cli
