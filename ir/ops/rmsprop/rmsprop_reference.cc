// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/ops/rmsprop/rmsprop_rules.h"

namespace cutset::rules {
namespace {

// The operands and results of both ops. `m` and `new_m` are null for rmsprop.
template <class T>
struct Step {
  const T *w, *s, *v, *m, *g;
  T rate, alpha, epsilon, decay, momentum;
  T *new_w, *new_s, *new_v, *new_m;

  Step(Views in, Views out, bool centered)
      : w(in[0].as<T>()), s(in[1].as<T>()), v(in[2].as<T>()), m(centered ? in[3].as<T>() : nullptr) {
    const size_t first = centered ? 4 : 3;
    g = in[first].as<T>();
    rate = *in[first + 1].as<T>();
    alpha = *in[first + 2].as<T>();
    epsilon = *in[first + 3].as<T>();
    decay = *in[first + 4].as<T>();
    momentum = *in[first + 5].as<T>();
    new_w = out[0].as<T>();
    new_s = out[1].as<T>();
    new_v = out[2].as<T>();
    new_m = centered ? out[3].as<T>() : nullptr;
  }
  T gradient(int64_t i) const { return g[i] + decay * w[i]; }
  T square(int64_t i, T gradient) const { return alpha * s[i] + (1 - alpha) * (gradient * gradient); }
  void update(int64_t i, T gradient, T square, T divisor) const {
    const T velocity = momentum * v[i] + gradient / (divisor + epsilon);
    new_w[i] = w[i] - rate * velocity;
    new_s[i] = square;
    new_v[i] = velocity;
  }
};

}  // namespace

namespace rmsprop {
Status reference(const Attrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const Step<T> step(in, out, false);
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const T g = step.gradient(i), square = step.square(i, g);
      step.update(i, g, square, std::sqrt(square));
    }
  });
}
}  // namespace rmsprop

namespace centered_rmsprop {
Status reference(const Attrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const Step<T> step(in, out, true);
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const T g = step.gradient(i), square = step.square(i, g);
      const T mean = step.alpha * step.m[i] + (1 - step.alpha) * g;
      const T variance = square - mean * mean;
      step.update(i, g, square, std::sqrt(variance < 0 ? 0 : variance));
      step.new_m[i] = mean;
    }
  });
}
}  // namespace centered_rmsprop

}  // namespace cutset::rules
