// Losses of classes: logits or logarithms of probabilities, [n, classes, ...], and labels, [n, ...].
#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/shapes.h>

#include "frontends/onnx/converters.h"

namespace cutset::onnx {
namespace {

// -weight[label] * log_probability[label], where labels that are ignored count as nothing.
Tensor loss_of(Node& n, const Tensor& log_probability) {
  const Shape& shape = log_probability.shape();
  if (shape.size() < 2) invalid("the first operand has no dimension of classes");
  const Tensor labels = n.in(1);
  const Tensor classes_last = move_axis(log_probability, 1, -1);
  const Tensor chosen = one_hot(labels, {.depth = shape[1], .dtype = log_probability.dtype()});
  const Tensor zero = constant(log_probability, 0);
  const auto of_label = [&](const Tensor& x) { return sum(where(greater(chosen, zero), x, zero), {-1}); };
  Tensor weight = n.has(2) ? of_label(n.in(2)) : Tensor();
  if (n.has_attribute("ignore_index")) {
    const Tensor counted = not_equal(labels, constant(labels, n.number("ignore_index", 0)));
    const Tensor one = constant(zero, 1);
    weight = where(counted, weight ? weight : one, zero);
  }
  const Tensor loss = neg(of_label(classes_last));
  const Tensor weighted = weight ? loss * weight : loss;
  const std::string reduction = n.text("reduction", "mean");
  if (reduction == "none") return weighted;
  if (reduction == "sum") return sum(weighted);
  if (reduction != "mean") invalid("the reduction '" + reduction + "' is not mean, sum or none");
  return weight ? sum(weighted) / sum(weight) : mean(weighted);
}

Results negative_log_likelihood(Node& n) { return {loss_of(n, n.in(0))}; }

Results softmax_cross_entropy_of(Node& n) {
  const Tensor log_probability = log_softmax(n.in(0), {.axis = 1});
  return {loss_of(n, log_probability), log_probability};
}

}  // namespace

void add_losses(Converters& table) {
  table.insert(
      {{"NegativeLogLikelihoodLoss", negative_log_likelihood}, {"SoftmaxCrossEntropyLoss", softmax_cross_entropy_of}});
}

}  // namespace cutset::onnx
