// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/progress_lines.h"

#include "frontends/cli/output/terminal.h"

namespace cutset::cli {

std::string text_of(const Evaluation& e) {
  std::string text = "loss " + fixed(e.metrics.at("loss"), 4);
  if (const auto p = e.perplexity()) text += ", perplexity " + fixed(*p, 2);
  if (const auto top1 = e.metric("accuracy")) text += ", top-1 " + fixed(100 * *top1, 2) + " %";
  if (const auto top5 = e.metric("accuracy_top5")) text += ", top-5 " + fixed(100 * *top5, 2) + " %";
  return text;
}

nlohmann::json json_of(const Evaluation& e) {
  nlohmann::json j = {{"step", e.step}, {"loss", e.metrics.at("loss")}};
  if (const auto p = e.perplexity()) j["perplexity"] = *p;
  if (const auto top1 = e.metric("accuracy")) j["top1"] = *top1;
  if (const auto top5 = e.metric("accuracy_top5")) j["top5"] = *top5;
  return j;
}

std::string text_of(const TrainingEpoch& e, const std::string& metrics) {
  std::string text = "epoch " + std::to_string(e.epoch) + " of " + std::to_string(e.epochs);
  if (e.steps < e.whole_steps)
    text += ", " + std::to_string(e.steps) + " of its " + std::to_string(e.whole_steps) + " steps";
  // A resumed run makes only the last steps of an epoch, or none of its steps.
  if (e.made > 0 && e.made < e.steps)
    text += ", after the resume only the last " + std::to_string(e.made) + " steps";
  if (e.samples == 0) return text + metrics;
  const std::string speed =
      e.seconds > 0 ? ", " + fixed(static_cast<double>(e.samples) / e.seconds, 0) + " samples/s" : "";
  return text + ": loss " + fixed(e.loss, 4) + speed + metrics;
}

}  // namespace cutset::cli
