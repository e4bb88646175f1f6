// The evaluation of a model on samples that it is not trained on.
#pragma once
#include <cutset/cutset.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "frontends/cli/signals.h"

namespace cutset::cli {

// The metrics of one evaluation: means over all labels of the samples.
struct Evaluation {
  int64_t step = 0;  // the number of training steps before it, which the caller sets
  double loss = 0;   // the mean of the losses of the batches, weighted by their labels
  // The fraction of labels that are the likeliest class, or one of the five likeliest, if "evaluate" counts them.
  std::optional<double> top1, top5;
  bool sequence = false;  // whether the labels are tokens: classes [samples, length]

  // The perplexity of a model of sequences: exp(loss).
  std::optional<double> perplexity() const;
  // "loss 0.35, top-1 87.10 %".
  std::string text() const;
  nlohmann::json json() const;
};

// Runs "evaluate" on all samples in batches of `batch`. Returns nothing if a signal is received meanwhile. Throws a cutset::Error if the
// samples have no "label".
std::optional<Evaluation> evaluate(Session& session, const data::Dataset& samples, int64_t batch,
                                   const StopSignals& stop);

}  // namespace cutset::cli
