// SPDX-License-Identifier: Apache-2.0
// Evaluates a model on a whole data set: the metrics are means of the results of its function "evaluate".
//
//   const Evaluation test = evaluate(session, data::fashion_mnist("test"), 64);
//   std::printf("accuracy %.2f %%\n", 100 * test.metrics.at("accuracy"));
//
// Each scalar output of "evaluate" gives a metric. Its value for a data set is a mean over the batches:
//
// | output of "evaluate" | metric |
// |--|--|
// | "correct", the number of correct predictions | "accuracy": the sum divided by the number of labels |
// | "correct_top5", the same for the five likeliest classes | "accuracy_top5" |
// | "label_count", "label_weight" | none; see below |
// | any other scalar, such as "loss" | the weighted mean, under the name of the output |
//
// The number of labels of a batch is its output "label_count", or else the number of elements of its tensor
// "label", or else its number of samples. A graph that ignores labels returns "label_count". The weight of a
// batch is its output "label_weight", or else its number of labels. "label_weight" must be the divisor of the
// mean loss of the batch. A batch with the weight 0 does not count. The results do not depend on the size of
// the batches, except for rounding.
#pragma once
#include <cutset/session.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cutset {

// The metrics of one evaluation.
struct Evaluation {
  int64_t step = 0;                       // the steps of the run before the evaluation; a Trainer sets it
  std::map<std::string, double> metrics;  // by name
  bool sequence = false;                  // whether the labels are tokens of sequences, [samples, length]

  // Returns the metric `name`, or nothing if there is none.
  std::optional<double> metric(const std::string& name) const;
  // Returns the perplexity of a model of sequences, exp(loss), or nothing for other models.
  std::optional<double> perplexity() const;
};

// Runs "evaluate" on all samples, in batches of `batch` samples, on the calling thread. `session` and
// `samples` are used as in a loop over them. `stop` is asked after each batch; if it returns true, there is
// no result. Throws a cutset::Error if the graph has no function "evaluate", if a run of it fails, or if two
// of its outputs give the same metric, as "correct" and "accuracy" do.
std::optional<Evaluation> evaluate(Session& session, const data::Dataset& samples, int64_t batch,
                                   const std::function<bool()>& stop);
// Evaluates without a stop.
Evaluation evaluate(Session& session, const data::Dataset& samples, int64_t batch);

// Returns the names of the metrics that an evaluation of the session has, sorted. The list is empty if the
// session has no function "evaluate". Throws a cutset::Error if two outputs give the same metric.
std::vector<std::string> metric_names(const Session& session);

}  // namespace cutset
