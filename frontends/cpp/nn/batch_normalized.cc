// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/nn/batch_normalized.h"

#include <cutset/constants.h>
#include <cutset/reductions.h>

#include <algorithm>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/functional/compose.h"
#include "frontends/cpp/graph/graph_state.h"

namespace cutset {
namespace {

// The mean and the variance of each channel, which are [channels]. If each group has statistics of its own,
// `normalized` is set, because each group is normalized by its own statistics.
struct Statistics {
  Tensor mean, variance;
  Tensor unbiased;  // the variance with n - 1 degrees of freedom
  // The normalized tensor before weight and bias; empty: the op batch_norm normalizes by `mean` and
  // `variance`.
  Tensor normalized;
};
template <class F>
Statistics with_each(Statistics s, F f) {
  for (Tensor* t : {&s.mean, &s.variance, &s.unbiased, &s.normalized}) *t = with_each(*t, f);
  return s;
}

Statistics statistics_of_batch(const Tensor& x, const std::vector<int64_t>& axes,
                               std::source_location source) {
  Statistics s;
  s.mean = mean(x, axes, false, source);
  const Tensor squares = sum_squared_deviations(x, s.mean, source), n = ops::count(x, {.axes = axes}, source);
  s.variance = div(squares, n, source);
  const Tensor one = constant(n, 1);
  s.unbiased = div(squares, maximum(sub(n, one, source), one, source), source);
  return s;
}

// Returns the statistics of groups of `rows` rows. The rows of a group become a separate dimension, over
// which the sums run.
Statistics made_of_groups(const Tensor& x, int64_t rows, double epsilon, std::source_location source) {
  Shape grouped = x.shape(), flat = x.shape();
  flat[0] = -1;
  grouped[0] = rows;
  grouped.insert(grouped.begin(), -1);  // [groups, rows, channels, ...]
  double n = static_cast<double>(rows);
  std::vector<int64_t> axes = {1};
  for (size_t d = 3; d < grouped.size(); ++d) {
    axes.push_back(static_cast<int64_t>(d));
    n *= static_cast<double>(grouped[d]);
  }
  const Tensor parts = reshape(x, {.shape = grouped}, source);
  const Tensor average = mean(parts, axes, true, source), centred = sub(parts, average, source);
  const Tensor variance = mean(mul(centred, centred, source), axes, true, source);
  const Tensor deviation = sqrt(add(variance, constant(variance, epsilon), source), source);
  const auto per_channel = [&](const Tensor& of_groups) {
    return reshape(mean(of_groups, {0}, false, source), {.shape = {x.shape()[1]}}, source);
  };
  Statistics s;
  s.mean = per_channel(average);
  s.variance = per_channel(variance);
  s.unbiased = ops::scale(s.variance, {.factor = n / std::max(n - 1, 1.0)}, source);
  s.normalized = reshape(div(centred, deviation, source), {.shape = flat}, source);
  return s;
}

Statistics statistics_of_groups(const Tensor& x, int64_t rows, double epsilon, std::source_location source) {
  const auto again = [x = kept(x), rows, epsilon, source](const Counterpart& now) {
    return made_of_groups(now(x), rows, epsilon, source);
  };
  return compose(x, "batch_norm", source, again, [&] { return made_of_groups(x, rows, epsilon, source); });
}

// Returns a tensor [channels] in the shape in which it broadcasts to x.
Tensor beside_channels(const Tensor& of_channels, const Tensor& x, std::source_location source) {
  Shape shape(x.shape().size() - 1, 1);
  shape[0] = x.shape()[1];
  return reshape(of_channels, {.shape = shape}, source);
}

}  // namespace

BatchNormalized batch_normalized(Graph& g, const Tensor& x, const BatchNormVariables& variables,
                                 const nn::BatchNormOptions& o, std::source_location source) {
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < static_cast<int64_t>(x.shape().size()); ++d)
    if (d != 1) axes.push_back(d);
  const auto apply = [&](const Tensor& average, const Tensor& variance) {
    return batch_norm(x, variables.scale, variables.bias, average, variance, {.epsilon = o.epsilon}, source);
  };
  const Statistics batch = o.rows_per_group ? statistics_of_groups(x, o.rows_per_group, o.epsilon, source)
                                            : statistics_of_batch(x, axes, source);
  BatchNormalized result;
  result.result = batch.normalized.defined()
                      ? add(mul(batch.normalized, beside_channels(variables.scale, x, source), source),
                            beside_channels(variables.bias, x, source), source)
                      : apply(batch.mean, batch.variance);
  result.training = result.result;
  if (!variables.mean.defined()) return result;
  result.result = g.when_training(result.result, apply(variables.mean, variables.variance), source);
  const auto moved = [&](const Tensor& old, const Tensor& now) {
    return add(ops::scale(old, {.factor = 1 - o.momentum}, source),
               ops::scale(now, {.factor = o.momentum}, source), source);
  };
  result.mean = moved(variables.mean, batch.mean);
  result.variance = moved(variables.variance, batch.unbiased);
  return result;
}

void move_statistics(const BatchNormVariables& variables, const BatchNormalized& normalized,
                     std::source_location source) {
  if (!normalized.mean.defined()) return;
  const auto& state = normalized.mean.graph();
  for (const auto& [variable, next] :
       {std::pair(variables.mean, normalized.mean), std::pair(variables.variance, normalized.variance)})
    check(state->builder->move(variable.value(), next.value(), normalized.training.value(),
                               state->source(source)));
}

}  // namespace cutset
