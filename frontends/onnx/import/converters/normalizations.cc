// Normalizations.
#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/normalizations.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/cpp/batch_normalized.h"
#include "frontends/onnx/element_types.h"
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
  Tensor average = n.in(3), spread = n.in(4);
  const double epsilon = epsilon_of(n), momentum = n.real("momentum", 0.9);
  if (!std::isfinite(momentum)) invalid("momentum is " + std::to_string(momentum));
  const bool training = n.opset() >= 14 && n.number("training_mode", 0) != 0;
  const bool fits = x.type().rank() >= 2 && !is_half(x.dtype()) && momentum >= 0 && momentum <= 1;
  if (!training && fits && n.reserve_assignments({3, 4})) {
    const BatchNormVariables variables{scale, bias, average, spread};
    const nn::BatchNormOptions options{.epsilon = epsilon, .momentum = 1 - momentum};
    const auto here = std::source_location::current();
    const BatchNormalized made = batch_normalized(n.graph(), x, variables, options, here);
    move_statistics(variables, made, here);
    return {made.result};
  }
  if (!training) return {batch_norm(x, scale, bias, average, spread, {.epsilon = epsilon})};
  const Axes axes = all_but(1, x.type().rank());
  const Tensor m = mean(x, axes), v = variance(x, axes);
  const Tensor next_average = average * momentum + m * (1 - momentum);
  const Tensor next_spread = spread * momentum + v * (1 - momentum);
  const Tensor y = batch_norm(x, scale, bias, m, v, {.epsilon = epsilon});
  if (fits && n.reserve_assignments({3, 4}))
    move_statistics({scale, bias, average, spread}, {y, next_average, next_spread}, std::source_location::current());
  return {y, next_average, next_spread};
}

// The other results are the mean and the reciprocal of the deviation.
Results layer_norm_of(Node& n) {
  const Tensor x = n.in(0);
  const int64_t axis = dimension(n.number("axis", -1), x.type().rank());
  const double epsilon = epsilon_of(n);
  // The type of the results that follow the first; layer_norm computes in f32 or f64.
  if (const DType stash = dtype_of_onnx(n.number("stash_type", 1)); !is_float(stash))
    invalid("stash_type is " + std::string(name_of(stash)));
  Results results = {layer_norm(x, n.in(1), n.optional(2), {.axis = axis, .epsilon = epsilon})};
  if (!n.wants(1) && !n.wants(2)) return results;
  Axes axes;
  for (int64_t d = axis; d < x.type().rank(); ++d) axes.push_back(d);
  results.emplace_back(mean(x, axes, true));
  results.emplace_back(rsqrt(variance(x, axes, true) + epsilon));
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
