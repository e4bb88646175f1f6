// SPDX-License-Identifier: Apache-2.0
#include <cutset/evaluation.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/checks/failure.h"

namespace cutset {
namespace {

constexpr char kLabel[] = "label", kLabelCount[] = "label_count", kLabelWeight[] = "label_weight";

// The metric that an output of "evaluate" gives, and whether the output is a number of labels.
struct MetricOfOutput {
  std::string name;
  bool counts;
};
MetricOfOutput metric_of(const std::string& output) {
  if (output == "correct") return {"accuracy", true};
  if (output == "correct_top5") return {"accuracy_top5", true};
  return {output, false};
}

bool is_metric(const std::string& output, const TensorType& type) {
  return type.rank() == 0 && output != kLabelCount && output != kLabelWeight;
}

// Throws if two outputs give the same metric.
void check_metrics(const std::vector<std::pair<std::string, TensorType>>& outputs) {
  std::map<std::string, std::string> found;  // the output of each metric
  for (const auto& [output, type] : outputs) {
    if (!is_metric(output, type)) continue;
    const auto [at, fresh] = found.emplace(metric_of(output).name, output);
    if (!fresh)
      raise(invalid_argument(
          "'evaluate' returns '" + at->second + "' and '" + output + "', and both are the metric '" +
              at->first + "'",
          "leave out one of them, or give the one that is not a number of labels another name"));
  }
}

// The sums over the batches of an evaluation.
struct Sums {
  double labels = 0, weight = 0;         // the divisors of counts and of means
  std::map<std::string, double> totals;  // by the name of the output
  bool counts = false, tokens = false;   // whether there is "correct"; whether the labels are tokens

  // Adds a batch of `samples` samples with its outputs.
  void add(const Batch& batch, const Outputs& outputs, int64_t samples);
  Evaluation means() const;
};

void Sums::add(const Batch& batch, const Outputs& outputs, int64_t samples) {
  const auto label = batch.find(kLabel);
  const int64_t by_default = label == batch.end() ? samples : label->second.elements();
  const auto of = [&](const char* name, double otherwise) {
    return outputs.contains(name) ? outputs[name].item<double>() : otherwise;
  };
  const double count = of(kLabelCount, static_cast<double>(by_default)), share = of(kLabelWeight, count);
  labels += count;
  weight += share;
  tokens = label != batch.end() && label->second.type().rank() == 2;
  for (const auto& [output, value] : outputs) {
    if (!is_metric(output, value.type())) continue;
    double& total = totals[output];  // the sum of nothing is 0
    if (metric_of(output).counts) {
      total += value.item<double>();
      counts = counts || output == "correct";
    } else if (share != 0)
      total += share * value.item<double>();
  }
}

Evaluation Sums::means() const {
  Evaluation evaluation;
  for (const auto& [output, total] : totals) {
    const MetricOfOutput metric = metric_of(output);
    evaluation.metrics[metric.name] = total / (metric.counts ? labels : weight);
  }
  evaluation.sequence = counts && tokens;
  return evaluation;
}

}  // namespace

std::optional<double> Evaluation::metric(const std::string& name) const {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> Evaluation::perplexity() const {
  const std::optional<double> loss = metric("loss");
  return sequence && loss ? std::optional(std::exp(*loss)) : std::nullopt;
}

std::optional<Evaluation> evaluate(Session& session, const data::Dataset& samples, int64_t batch,
                                   const std::function<bool()>& stop) {
  (void)metric_names(session);
  Sums sums;
  int64_t left = samples.size();
  const data::Dataset epoch = samples.batch(batch).prefetch(2).start_at(0);  // always the same epoch
  for (Batch& b : epoch) {
    const int64_t of_batch = std::min(batch, left);
    sums.add(b, session.evaluate(b), of_batch);
    left -= of_batch;
    if (stop && stop()) return std::nullopt;
  }
  return sums.means();
}

Evaluation evaluate(Session& session, const data::Dataset& samples, int64_t batch) {
  return *evaluate(session, samples, batch, {});
}

std::vector<std::string> metric_names(const Session& session) {
  const std::vector<std::string> functions = session.functions();
  std::vector<std::string> names;
  if (std::ranges::find(functions, "evaluate") == functions.end()) return names;
  const auto outputs = session.outputs("evaluate");
  check_metrics(outputs);
  for (const auto& [output, type] : outputs)
    if (is_metric(output, type)) names.push_back(metric_of(output).name);
  std::ranges::sort(names);
  return names;
}

}  // namespace cutset
