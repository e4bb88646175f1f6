// SPDX-License-Identifier: Apache-2.0
// The evaluation of a model on a whole data set: the means of what its function "evaluate" returns.
//
//   const Evaluation test = evaluate(session, data::fashion_mnist("test"), 64);
//   std::printf("accuracy %.2f %%\n", 100 * test.metrics.at("accuracy"));
//
// Each scalar output of "evaluate" is a metric. Its value for a data set is a mean over the batches, in which
// a batch has the weight below:
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
// batch is its output "label_weight", which must be what its mean loss was divided by, or else its number of
// labels. A batch with the weight 0 does not count. The results do not depend on the size of the batches,
// except for rounding.
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
  int64_t step = 0;                       // the steps of the run before it; a Trainer sets it
  std::map<std::string, double> metrics;  // by name
  bool sequence = false;                  // whether the labels are tokens of sequences, [samples, length]

  // The metric `name`, or nothing if there is none.
  std::optional<double> metric(const std::string& name) const;
  // The perplexity of a model of sequences, exp(loss); nothing for other models.
  std::optional<double> perplexity() const;
};

// Runs "evaluate" on all samples, in batches of `batch` samples, on the calling thread. `session` and
// `samples` are used as in a loop over them. `stop` is asked after each batch; if it returns true, there is
// no result. Throws a cutset::Error if the graph has no function "evaluate", if it does not run, or if two of
// its outputs are the same metric, as "correct" and "accuracy" are.
std::optional<Evaluation> evaluate(Session& session, const data::Dataset& samples, int64_t batch,
                                   const std::function<bool()>& stop);
// The same without a stop.
Evaluation evaluate(Session& session, const data::Dataset& samples, int64_t batch);

// The names of the metrics that an evaluation of the session has, sorted. Empty if it has no function
// "evaluate". Throws a cutset::Error if two outputs are the same metric.
std::vector<std::string> metric_names(const Session& session);

}  // namespace cutset
