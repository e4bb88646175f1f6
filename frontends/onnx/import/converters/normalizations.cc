// SPDX-License-Identifier: Apache-2.0
// Normalizations.
#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/normalizations.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/nn/batch_normalized.h"
#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/values/assigned.h"
#include "ir/core/half.h"

namespace cutset::onnx {
namespace {

using Axes = std::vector<int64_t>;

// Throws if epsilon is negative or not finite, because compositions of several ops would compute NaN.
double epsilon_of(const Node& n) {
  const double epsilon = n.real("epsilon", 1e-5);
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) invalid("epsilon is " + std::to_string(epsilon));
  return epsilon;
}

// Converts x to another type. Returns an empty Tensor if x is empty.
Tensor as(const Tensor& x, DType type) {
  return !x.defined() || x.dtype() == type ? x : cast(x, {.dtype = type});
}
// Returns the type in which intermediate values are computed before the result is rounded to the type of x.
DType wide_type(const Tensor& x) { return is_half(x.dtype()) ? f32 : x.dtype(); }
// Converts x to the type in which the node computes its statistics: the widest of f32, the type of x and the
// attribute stash_type.
Tensor in_stash_type(const Node& n, const Tensor& x) {
  const DType stash = dtype_of_onnx(n.number("stash_type", 1));
  if (!is_float(stash)) invalid("stash_type is " + std::string(name_of(stash)));
  return as(x, stash == f64 && is_float(x.dtype()) ? f64 : wide_type(x));
}

Axes all_but(int64_t kept, int64_t rank) {
  Axes axes;
  for (int64_t d = 0; d < rank; ++d)
    if (d != kept) axes.push_back(d);
  return axes;
}

// Before version 9, spatial = 0 means that scale, bias and running statistics have one element per element of
// a sample.
Results norm_of_elements(Node& n, bool training, double epsilon) {
  if (training)
    unsupported("spatial = 0 in training mode; convert the model to version 9 or later of the operator set");
  const Tensor x = n.in(0), y = (x - n.in(3)) * rsqrt(n.in(4) + epsilon) * n.in(1) + n.in(2);
  if (y.shape() != x.shape()) invalid("an operand does not broadcast to " + to_string(x.type()));
  return {y};
}

// In training mode, the node normalizes by the statistics of the batch, and the running statistics move
// towards them.
Results batch_norm_of(Node& n) {
  const Tensor x = n.in(0), scale = n.in(1), bias = n.in(2);
  const Tensor average = n.in(3), spread = n.in(4);
  const double epsilon = epsilon_of(n), momentum = n.real("momentum", 0.9);
  if (!std::isfinite(momentum)) invalid("momentum is " + std::to_string(momentum));
  const bool training = n.opset() >= 14 ? n.number("training_mode", 0) != 0
                        : n.opset() < 7 ? n.number("is_test", 0) == 0
                                        : false;
  if (n.opset() < 9 && n.number("spatial", 1) == 0) return norm_of_elements(n, training, epsilon);
  const bool fits = x.type().rank() >= 2 && !is_half(x.dtype()) && momentum >= 0 && momentum <= 1;
  const auto here = std::source_location::current();
  // The assignments to the running mean and variance. Empty if this node does not move them.
  const std::vector<Assigned*> assigned = fits ? n.assigned({3, 4}) : std::vector<Assigned*>();
  const auto move_to = [&](const Tensor& next_average, const Tensor& next_spread, const Tensor& result) {
    const OpSource source = n.graph().state()->source(here);
    assigned[0]->variable = average;
    assigned[0]->moves.push_back({next_average, result, source});
    assigned[1]->variable = spread;
    assigned[1]->moves.push_back({next_spread, result, source});
  };
  if (!training && !assigned.empty()) {
    const BatchNormVariables variables{scale, bias, average, spread};
    const nn::BatchNormOptions options{.epsilon = epsilon, .momentum = 1 - momentum};
    const BatchNormalized normalized = batch_normalized(n.graph(), x, variables, options, here);
    move_to(normalized.mean, normalized.variance, normalized.training);
    return {normalized.result};
  }
  if (!training) return {batch_norm(x, scale, bias, average, spread, {.epsilon = epsilon})};
  const Axes axes = all_but(1, x.type().rank());
  const DType type = wide_type(x);  // the variance of numbers around 300 is no f16
  const Tensor wide = as(x, type), m = mean(wide, axes), v = variance(wide, axes);
  const auto moved = [&](const Tensor& old, const Tensor& now) {
    return as(as(old, type) * momentum + now * (1 - momentum), old.dtype());
  };
  const Tensor y = batch_norm(wide, as(scale, type), as(bias, type), m, v, {.epsilon = epsilon});
  if (!assigned.empty()) move_to(moved(average, m), moved(spread, v), y);
  return {as(y, x.dtype()), moved(average, m), moved(spread, v)};
}

// Normalizes over the dimensions from `axis` on. A scale and a bias that do not have the shape of these
// dimensions are broadcast to x.
Tensor scaled_layer_norm(const Tensor& x, int64_t axis, double epsilon, const Tensor& scale,
                         const Tensor& bias) {
  const std::vector<int64_t> normalized(x.shape().begin() + axis, x.shape().end());
  const auto fits = [&](const Tensor& t) { return !t.defined() || t.shape() == normalized; };
  if (fits(scale) && fits(bias)) return layer_norm(x, scale, bias, {.axis = axis, .epsilon = epsilon});
  const DType type = wide_type(x);
  const Tensor wide = as(x, type), ones = broadcast_to(constant(wide, Number(1)), normalized);
  Tensor y = mul(layer_norm(wide, ones, {}, {.axis = axis, .epsilon = epsilon}), as(scale, type));
  if (bias.defined()) y = add(y, as(bias, type));
  if (y.shape() != x.shape()) invalid("the scale or the bias does not broadcast to " + to_string(x.type()));
  return as(y, x.dtype());
}

// The second and the third result are the mean and the reciprocal of the standard deviation.
Results layer_norm_of(Node& n) {
  const Tensor x = n.in(0);
  const int64_t axis = dimension(n.number("axis", -1), x.type().rank());
  const double epsilon = epsilon_of(n);
  const Tensor wide = in_stash_type(n, x);
  const DType stash =
      dtype_of_onnx(n.number("stash_type", 1));  // the type of the second and the third result
  // The op itself computes f16 and bf16 in f32.
  const Tensor from = wide.dtype() == f64 ? wide : x;
  const auto beside = [&](const Tensor& t) { return as(t, from.dtype()); };
  Results results = {
      as(scaled_layer_norm(from, axis, epsilon, beside(n.in(1)), beside(n.optional(2))), x.dtype())};
  if (!n.wants(1) && !n.wants(2)) return results;
  Axes axes;
  for (int64_t d = axis; d < x.type().rank(); ++d) axes.push_back(d);
  results.emplace_back(cast(mean(wide, axes, true), {.dtype = stash}));
  results.emplace_back(cast(rsqrt(variance(wide, axes, true) + epsilon), {.dtype = stash}));
  return results;
}

// The result has the type of the scale.
Results rms_norm_of(Node& n) {
  const Tensor x = in_stash_type(n, n.in(0)), scale = n.in(1);
  return {as(rms_norm(x, as(scale, x.dtype()), n.number("axis", -1), epsilon_of(n)), scale.dtype())};
}

Results instance_norm_of(Node& n) { return {instance_norm(n.in(0), n.in(1), n.in(2), epsilon_of(n))}; }

// Before version 21, scale and bias have one element per group.
Results group_norm_of(Node& n) {
  const Tensor input = n.in(0), x = in_stash_type(n, input);
  const int64_t groups = n.number("num_groups", 0);
  const auto per_channel = [&](const Tensor& t) {
    if (n.opset() >= 21 || groups < 1 || x.type().rank() < 2) return as(t, x.dtype());
    return reshape(
        broadcast_to(reshape(as(t, x.dtype()), {.shape = {-1, 1}}), {groups, x.shape()[1] / groups}),
        {.shape = {-1}});
  };
  return {
      as(group_norm(x, per_channel(n.in(1)), per_channel(n.in(2)), groups, epsilon_of(n)), input.dtype())};
}

Results lrn(Node& n) {
  return {onnx_ops::local_response_norm(n.in(0), n.number("size", 0), n.real("alpha", 1e-4),
                                        n.real("beta", 0.75), n.real("bias", 1))};
}

Results mean_variance_norm_of(Node& n) {
  return {onnx_ops::mean_variance_norm(n.in(0), n.numbers("axes").value_or(Axes{0, 2, 3}))};
}

Results lp_normalize_of(Node& n) {
  return {onnx_ops::lp_normalize(n.in(0), n.number("axis", -1), n.number("p", 2))};
}

}  // namespace

static void add_normalizations(Converters& table) {
  table.insert({{"BatchNormalization", batch_norm_of},
                {"LayerNormalization", layer_norm_of},
                {"RMSNormalization", rms_norm_of},
                {"InstanceNormalization", instance_norm_of},
                {"GroupNormalization", group_norm_of},
                {"LRN", lrn},
                {"MeanVarianceNormalization", mean_variance_norm_of},
                {"LpNormalization", lp_normalize_of}});
}

static const ConverterFamily kNormalizationsConverters(add_normalizations);

}  // namespace cutset::onnx
