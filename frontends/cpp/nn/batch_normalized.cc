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

// The mean and the variance of each channel, which are [channels]. The statistics of groups come with the
// tensor that they normalize, since each group has its own.
struct Statistics {
  Tensor mean, variance;
  Tensor unbiased;    // the variance with n - 1 degrees of freedom
  Tensor normalized;  // without weight and bias; empty: the op batch_norm normalizes by `mean` and `variance`
};
template <class F>
Statistics with_each(Statistics s, F f) {
  for (Tensor* t : {&s.mean, &s.variance, &s.unbiased, &s.normalized}) *t = with_each(*t, f);
  return s;
}

Statistics statistics_of_batch(const Tensor& x, const std::vector<int64_t>& axes,
                               std::source_location where) {
  Statistics s;
  s.mean = mean(x, axes, false, where);
  const Tensor squares = sum_squared_deviations(x, s.mean, where), n = ops::count(x, {.axes = axes}, where);
  s.variance = div(squares, n, where);
  const Tensor one = constant(n, 1);
  s.unbiased = div(squares, maximum(sub(n, one, where), one, where), where);
  return s;
}

// The statistics of groups of `rows` rows. The rows of a group are a dimension of their own, over which the
// sums are.
Statistics made_of_groups(const Tensor& x, int64_t rows, double epsilon, std::source_location where) {
  Shape grouped = x.shape(), flat = x.shape();
  flat[0] = -1;
  grouped[0] = rows;
  grouped.insert(grouped.begin(), -1);  // [groups, rows, channels, ...]
  double n = static_cast<double>(rows);
  std::vector<int64_t> axes = {1};
  for (size_t d = 3; d < grouped.size(); ++d)
    axes.push_back(static_cast<int64_t>(d)), n *= static_cast<double>(grouped[d]);
  const Tensor parts = reshape(x, {.shape = grouped}, where);
  const Tensor average = mean(parts, axes, true, where), centred = sub(parts, average, where);
  const Tensor variance = mean(mul(centred, centred, where), axes, true, where);
  const Tensor deviation = sqrt(add(variance, constant(variance, epsilon), where), where);
  const auto per_channel = [&](const Tensor& of_groups) {
    return reshape(mean(of_groups, {0}, false, where), {.shape = {x.shape()[1]}}, where);
  };
  Statistics s;
  s.mean = per_channel(average), s.variance = per_channel(variance);
  s.unbiased = ops::scale(s.variance, {.factor = n / std::max(n - 1, 1.0)}, where);
  s.normalized = reshape(div(centred, deviation, where), {.shape = flat}, where);
  return s;
}

Statistics statistics_of_groups(const Tensor& x, int64_t rows, double epsilon, std::source_location where) {
  const auto again = [x = kept(x), rows, epsilon, where](const Counterpart& now) {
    return made_of_groups(now(x), rows, epsilon, where);
  };
  return compose(x, "batch_norm", where, again, [&] { return made_of_groups(x, rows, epsilon, where); });
}

// A tensor [channels] in the shape in which it broadcasts to x.
Tensor beside_channels(const Tensor& of_channels, const Tensor& x, std::source_location where) {
  Shape shape(x.shape().size() - 1, 1);
  shape[0] = x.shape()[1];
  return reshape(of_channels, {.shape = shape}, where);
}

}  // namespace

BatchNormalized batch_normalized(Graph& g, const Tensor& x, const BatchNormVariables& variables,
                                 const nn::BatchNormOptions& o, std::source_location where) {
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < static_cast<int64_t>(x.shape().size()); ++d)
    if (d != 1) axes.push_back(d);
  const auto apply = [&](const Tensor& average, const Tensor& variance) {
    return batch_norm(x, variables.scale, variables.bias, average, variance, {.epsilon = o.epsilon}, where);
  };
  const Statistics batch = o.rows_per_group ? statistics_of_groups(x, o.rows_per_group, o.epsilon, where)
                                            : statistics_of_batch(x, axes, where);
  BatchNormalized made;
  made.result = batch.normalized.defined()
                    ? add(mul(batch.normalized, beside_channels(variables.scale, x, where), where),
                          beside_channels(variables.bias, x, where), where)
                    : apply(batch.mean, batch.variance);
  made.training = made.result;
  if (!variables.mean.defined()) return made;
  made.result = g.when_training(made.result, apply(variables.mean, variables.variance), where);
  const auto moved = [&](const Tensor& old, const Tensor& now) {
    return add(ops::scale(old, {.factor = 1 - o.momentum}, where),
               ops::scale(now, {.factor = o.momentum}, where), where);
  };
  made.mean = moved(variables.mean, batch.mean);
  made.variance = moved(variables.variance, batch.unbiased);
  return made;
}

void move_statistics(const BatchNormVariables& variables, const BatchNormalized& made,
                     std::source_location where) {
  if (!made.mean.defined()) return;
  const auto& state = made.mean.graph();
  for (const auto& [variable, next] :
       {std::pair(variables.mean, made.mean), std::pair(variables.variance, made.variance)})
    check(state->builder->move(variable.value(), next.value(), made.training.value(), state->source(where)));
}

}  // namespace cutset
