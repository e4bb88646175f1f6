// Normalizations.
#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/normalizations.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/cpp/batch_normalized.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/assigned.h"
#include "frontends/onnx/import/converters.h"
#include "ir/core/half.h"

namespace cutset::onnx {
namespace {

using Axes = std::vector<int64_t>;

// The ops made of several ops would compute NaN with another epsilon.
double epsilon_of(const Node& n) {
  const double epsilon = n.real("epsilon", 1e-5);
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) invalid("epsilon is " + std::to_string(epsilon));
  return epsilon;
}

Axes all_but(int64_t kept, int64_t rank) {
  Axes axes;
  for (int64_t d = 0; d < rank; ++d)
    if (d != kept) axes.push_back(d);
  return axes;
}

// In training mode, the statistics are those of the batch, and the running ones move towards them.
Results batch_norm_of(Node& n) {
  const Tensor x = n.in(0), scale = n.in(1), bias = n.in(2);
  const Tensor average = n.in(3), spread = n.in(4);
  const double epsilon = epsilon_of(n), momentum = n.real("momentum", 0.9);
  if (!std::isfinite(momentum)) invalid("momentum is " + std::to_string(momentum));
  const bool training = n.opset() >= 14 && n.number("training_mode", 0) != 0;
  const bool fits = x.type().rank() >= 2 && !is_half(x.dtype()) && momentum >= 0 && momentum <= 1;
  const auto here = std::source_location::current();
  // Of the mean and the variance, if this node moves them. Nodes that share running statistics move them one after the other.
  const std::vector<Assigned*> assigned = fits ? n.assigned({3, 4}) : std::vector<Assigned*>();
  const auto moved_before = [&](size_t i, const Tensor& old) { return assigned[i]->next ? assigned[i]->next : old; };
  const auto move_to = [&](const Tensor& next_average, const Tensor& next_spread) {
    const OpSource source = n.graph().state()->source(here);
    *assigned[0] = {average, next_average, source};
    *assigned[1] = {spread, next_spread, source};
  };
  if (!training && !assigned.empty()) {
    const BatchNormVariables variables{scale, bias, average, spread, moved_before(0, average), moved_before(1, spread)};
    const nn::BatchNormOptions options{.epsilon = epsilon, .momentum = 1 - momentum};
    const BatchNormalized made = batch_normalized(n.graph(), x, variables, options, here);
    move_to(made.mean, made.variance);
    return {made.result};
  }
  if (!training) return {batch_norm(x, scale, bias, average, spread, {.epsilon = epsilon})};
  const Axes axes = all_but(1, x.type().rank());
  const Tensor m = mean(x, axes), v = variance(x, axes);
  const auto moved = [&](const Tensor& old, const Tensor& now) { return old * momentum + now * (1 - momentum); };
  if (!assigned.empty()) move_to(moved(moved_before(0, average), m), moved(moved_before(1, spread), v));
  return {batch_norm(x, scale, bias, m, v, {.epsilon = epsilon}), moved(average, m), moved(spread, v)};
}

// The layer normalization of the dimensions from `axis` on. A scale and a bias that do not have the shape of these dimensions are broadcast
// to x.
Tensor scaled_layer_norm(const Tensor& x, int64_t axis, double epsilon, const Tensor& scale, const Tensor& bias) {
  const std::vector<int64_t> normalized(x.shape().begin() + axis, x.shape().end());
  const auto fits = [&](const Tensor& t) { return !t || t.shape() == normalized; };
  if (fits(scale) && fits(bias)) return layer_norm(x, scale, bias, {.axis = axis, .epsilon = epsilon});
  const Tensor ones = broadcast_to(constant(x, Number(1)), normalized);
  Tensor y = mul(layer_norm(x, ones, {}, {.axis = axis, .epsilon = epsilon}), scale);
  if (bias) y = add(y, bias);
  if (y.shape() != x.shape()) invalid("the scale or the bias does not broadcast to " + to_string(x.type()));
  return y;
}

// The other results are the mean and the reciprocal of the deviation.
Results layer_norm_of(Node& n) {
  const Tensor x = n.in(0);
  const int64_t axis = dimension(n.number("axis", -1), x.type().rank());
  const double epsilon = epsilon_of(n);
  const DType stash = dtype_of_onnx(n.number("stash_type", 1));  // the type of the results that follow the first
  if (!is_float(stash)) invalid("stash_type is " + std::string(name_of(stash)));
  Results results = {scaled_layer_norm(x, axis, epsilon, n.in(1), n.optional(2))};
  if (!n.wants(1) && !n.wants(2)) return results;
  Axes axes;
  for (int64_t d = axis; d < x.type().rank(); ++d) axes.push_back(d);
  // All that layer_norm computes of 16-bit elements is f32, too.
  const Tensor wide = is_half(x.dtype()) ? cast(x, {.dtype = f32}) : x;
  results.emplace_back(cast(mean(wide, axes, true), {.dtype = stash}));
  results.emplace_back(cast(rsqrt(variance(wide, axes, true) + epsilon), {.dtype = stash}));
  return results;
}

Results rms_norm_of(Node& n) { return {rms_norm(n.in(0), n.in(1), n.number("axis", -1), epsilon_of(n))}; }

Results instance_norm_of(Node& n) { return {instance_norm(n.in(0), n.in(1), n.in(2), epsilon_of(n))}; }

// Before version 21, scale and bias have one element per group.
Results group_norm_of(Node& n) {
  const Tensor x = n.in(0);
  const int64_t groups = n.number("num_groups", 0);
  const auto per_channel = [&](const Tensor& t) {
    if (n.opset() >= 21 || groups < 1 || x.type().rank() < 2) return t;
    return reshape(broadcast_to(reshape(t, {.shape = {-1, 1}}), {groups, x.shape()[1] / groups}), {.shape = {-1}});
  };
  return {group_norm(x, per_channel(n.in(1)), per_channel(n.in(2)), groups, epsilon_of(n))};
}

Results lrn(Node& n) {
  return {local_response_norm(n.in(0), n.number("size", 0), n.real("alpha", 1e-4), n.real("beta", 0.75),
                              n.real("bias", 1))};
}

Results mean_variance_norm_of(Node& n) {
  return {mean_variance_norm(n.in(0), n.numbers("axes").value_or(Axes{0, 2, 3}))};
}

Results lp_normalize_of(Node& n) { return {lp_normalize(n.in(0), n.number("axis", -1), n.number("p", 2))}; }

}  // namespace

void add_normalizations(Converters& table) {
  table.insert({{"BatchNormalization", batch_norm_of},
                {"LayerNormalization", layer_norm_of},
                {"RMSNormalization", rms_norm_of},
                {"InstanceNormalization", instance_norm_of},
                {"GroupNormalization", group_norm_of},
                {"LRN", lrn},
                {"MeanVarianceNormalization", mean_variance_norm_of},
                {"LpNormalization", lp_normalize_of}});
}

}  // namespace cutset::onnx
