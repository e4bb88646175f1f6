// SPDX-License-Identifier: Apache-2.0
#include "frontends/models/class_loss.h"

#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/losses.h>
#include <cutset/ops.h>
#include <cutset/reductions.h>

#include <algorithm>
#include <cmath>

#include "frontends/models/class_metrics.h"
#include "ir/core/half.h"

namespace cutset::models {
namespace {

// The elements of a constant. It has at most 1 KiB, even in a program that is compiled for f64.
constexpr size_t kMostOfConstant = 128;

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::kInvalidArgument, what, "", hint);
}

// Returns the numbers as a tensor of the type `dtype`. They are not a variable, because a file of variables
// would then replace them.
Tensor constants(Graph& g, const std::vector<double>& numbers, DType dtype) {
  std::vector<Tensor> parts;
  for (size_t first = 0; first < numbers.size(); first += kMostOfConstant) {
    const size_t count = std::min(kMostOfConstant, numbers.size() - first);
    HostTensor part({dtype, {static_cast<int64_t>(count)}});
    for (size_t i = 0; i < count; ++i) part.set(static_cast<int64_t>(i), numbers[first + i]);
    parts.push_back(g.constant(part));
  }
  return parts.size() == 1 ? parts[0] : concat(parts, {.axis = 0});
}

// Returns the weights as a tensor with the type of the logits; empty if there are none, or no such dimension
// of classes.
Tensor weights_of(Graph& g, const Tensor& logits, std::optional<int64_t> class_axis,
                  const std::vector<double>& weights) {
  const int64_t rank = logits.type().rank();
  int64_t axis = class_axis.value_or(rank < 2 ? 0 : 1);
  if (axis < 0) axis += rank;
  if (weights.empty() || axis < 0 || axis >= rank) return {};
  const int64_t classes = logits.shape()[static_cast<size_t>(axis)];
  if (static_cast<int64_t>(weights.size()) != classes)
    refuse("there are " + std::to_string(weights.size()) + " class weights, and the model has " +
               std::to_string(classes) + " classes",
           "give one weight per class");
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0)
      refuse("the weight of class " + std::to_string(i) + " is " + std::to_string(weights[i]),
             "weights are finite numbers that are not negative");
  }
  return constants(g, weights, logits.dtype());
}

// Returns the sum of the weights of the labels that count.
Tensor sum_of_weights(const Tensor& weights, const Tensor& label, const Tensor& counted, DType dtype) {
  if (!weights.defined()) return sum(cast(counted, {.dtype = dtype}));
  if (!counted.defined()) return sum(gather(weights, label));
  const Tensor index = where(counted, label, constant(label, 0));
  return sum(mul(gather(weights, index), cast(counted, {.dtype = dtype})));
}

}  // namespace

ClassLoss class_loss(Graph& g, const Tensor& logits, const Tensor& target, std::optional<int64_t> class_axis,
                     const ClassLossOptions& o) {
  const bool probabilities = is_float(target.dtype());
  if (o.ignore_index && probabilities)
    refuse("labels that are probabilities cannot be ignored",
           "leave out the label to ignore, or give classes as labels");
  const bool divides = !probabilities && (o.ignore_index || !o.class_weights.empty());
  const Tensor x = divides && is_half(logits.dtype()) ? cast(logits, {.dtype = f32}) : logits;
  const Tensor weights = weights_of(g, x, class_axis, o.class_weights);
  CrossEntropyOptions options{.weight = weights,
                              .ignore_index = o.ignore_index,
                              .label_smoothing = o.label_smoothing,
                              .class_axis = class_axis};
  if (!divides) return {cross_entropy(x, target, options), {}};
  options.reduction = LossReduction::kSum;
  const Tensor total = cross_entropy(x, target, options), label = as_index(target);
  const Tensor counted = o.ignore_index ? counted_labels(label, *o.ignore_index) : Tensor();
  const Tensor weight = sum_of_weights(weights, label, counted, x.dtype());
  // A quotient of zeros would be NaN, and so would its gradient.
  const Tensor divisor = where(equal(weight, constant(weight, 0)), constant(weight, 1), weight);
  ClassLoss loss{div(total, divisor), {{"label_weight", weight}}};
  if (counted.defined()) loss.outputs.emplace_back("label_count", sum(cast(counted, {.dtype = f32})));
  return loss;
}

}  // namespace cutset::models
