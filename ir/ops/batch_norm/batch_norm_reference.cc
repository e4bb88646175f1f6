// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/ops/batch_norm/batch_norm_planes.h"
#include "ir/ops/batch_norm/batch_norm_rules.h"

namespace cutset::rules {
namespace {

// Writes, for each channel, the sum of term(index of an element, channel) over the elements of the channel.
template <class T, class F>
void sum_channels(const ChannelPlanes& p, T* sums, F&& term) {
  for (int64_t c = 0; c < p.channels; ++c) {
    double sum = 0;
    for (int64_t n = 0; n < p.samples; ++n)
      for (int64_t i = 0, at = (n * p.channels + c) * p.pixels; i < p.pixels; ++i) sum += term(at + i, c);
    sums[c] = static_cast<T>(sum);
  }
}

}  // namespace

namespace batch_norm {
Status reference(const Attrs& a, Views in, Views out) {
  const ChannelPlanes p(in[0].shape);
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *x = in[0].as<T>(), *scale = in[1].as<T>(), *bias = in[2].as<T>(), *mean = in[3].as<T>(),
            *variance = in[4].as<T>();
    T* y = out[0].as<T>();
    for (int64_t n = 0; n < p.samples; ++n)
      for (int64_t c = 0; c < p.channels; ++c) {
        const T factor = static_cast<T>(scale[c] / std::sqrt(variance[c] + a.epsilon));
        for (int64_t i = 0; i < p.pixels; ++i, ++x, ++y) *y = (*x - mean[c]) * factor + bias[c];
      }
  });
}
}  // namespace batch_norm

namespace batch_norm_backward_scale {
Status reference(const Attrs& a, Views in, Views out) {
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    const T *g = in[0].as<T>(), *x = in[1].as<T>(), *mean = in[2].as<T>(), *variance = in[3].as<T>();
    const ChannelPlanes p(in[1].shape);
    T* sums = out[0].as<T>();
    sum_channels(p, sums, [&](int64_t i, int64_t c) { return static_cast<double>(g[i]) * (x[i] - mean[c]); });
    for (int64_t c = 0; c < p.channels; ++c)
      sums[c] = static_cast<T>(sums[c] / std::sqrt(variance[c] + a.epsilon));
  });
}
}  // namespace batch_norm_backward_scale

namespace sum_squared_deviations {
Status reference(const Attrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *x = in[0].as<T>(), *mean = in[1].as<T>();
    sum_channels(ChannelPlanes(in[0].shape), out[0].as<T>(), [&](int64_t i, int64_t c) {
      const double d = static_cast<double>(x[i]) - mean[c];
      return d * d;
    });
  });
}
}  // namespace sum_squared_deviations

}  // namespace cutset::rules
