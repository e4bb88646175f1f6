// SPDX-License-Identifier: Apache-2.0
// Losses of classes: logits or logarithms of probabilities, [n, classes, ...], and labels, [n, ...].
#include <cutset/losses.h>
#include <cutset/ops.h>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

Tensor loss_of(Node& n, const Tensor& log_probability) {
  NllLossOptions o{.weight = n.optional(2), .ignore_index = std::nullopt, .reduction = LossReduction::kMean};
  if (n.has_attribute("ignore_index")) o.ignore_index = n.number("ignore_index", 0);
  const std::string reduction = n.text("reduction", "mean");
  if (reduction == "none")
    o.reduction = LossReduction::kNone;
  else if (reduction == "sum")
    o.reduction = LossReduction::kSum;
  else if (reduction != "mean")
    invalid("the reduction '" + reduction + "' is not mean, sum or none");
  return nll_loss(log_probability, n.in(1), o);
}

Results negative_log_likelihood(Node& n) { return {loss_of(n, n.in(0))}; }

// The loss is computed from the second result, the logarithms of the probabilities.
Results softmax_cross_entropy_of(Node& n) {
  const Tensor log_probability = log_softmax(n.in(0), {.axis = 1});
  return {loss_of(n, log_probability), log_probability};
}

}  // namespace

static void add_losses(Converters& table) {
  table.insert({{"NegativeLogLikelihoodLoss", negative_log_likelihood},
                {"SoftmaxCrossEntropyLoss", softmax_cross_entropy_of}});
}

static const ConverterFamily kLossesConverters(add_losses);

}  // namespace cutset::onnx
