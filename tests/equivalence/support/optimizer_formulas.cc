// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/optimizer_formulas.h"

#include <cmath>

namespace cutset::testing {
double length(const Numbers& x) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  return std::sqrt(squares);
}
Numbers& state(States& states, const char* name, size_t n, double first) {
  return states.try_emplace(name, Numbers(n, first)).first->second;
}

Formula formula(const Sgd& o) {
  return [o](const Numbers& w, const Numbers& g, int t, States& s) {
    Numbers& v = state(s, "velocity", w.size());
    if (o.weight_decay != 0) s["started"] = {1};
    return each(w.size(), [&](size_t i) {
      const double d = g[i] + o.weight_decay * w[i];
      v[i] = t == 1 ? d : o.momentum * v[i] + (1 - o.dampening) * d;
      return w[i] - o.learning_rate * (o.nesterov ? d + o.momentum * v[i] : v[i]);
    });
  };
}

// Updates the moments of Adam, and returns m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon).
template <class O>
static Numbers adam_step(const O& o, const Numbers& g, int t, States& s) {
  Numbers &m = state(s, "first_moment", g.size()), &v = state(s, "second_moment", g.size());
  const double a = 1 - std::pow(o.beta1, t), b = 1 - std::pow(o.beta2, t);
  s["first_weight"] = {a};
  s["second_weight"] = {b};
  return each(g.size(), [&](size_t i) {
    m[i] = o.beta1 * m[i] + (1 - o.beta1) * g[i];
    v[i] = o.beta2 * v[i] + (1 - o.beta2) * g[i] * g[i];
    return m[i] / a / (std::sqrt(v[i] / b) + o.epsilon);
  });
}
Formula formula(const Adam& o) {
  return [o](const Numbers& w, const Numbers& g, int t, States& s) {
    const Numbers r =
        adam_step(o, each(w.size(), [&](size_t i) { return g[i] + o.weight_decay * w[i]; }), t, s);
    return each(w.size(), [&](size_t i) { return w[i] - o.learning_rate * r[i]; });
  };
}
Formula formula(const AdamW& o) {
  return [o](const Numbers& w, const Numbers& g, int t, States& s) {
    const Numbers r = adam_step(o, g, t, s);
    return each(w.size(), [&](size_t i) {
      return w[i] - o.learning_rate * o.weight_decay * w[i] - o.learning_rate * r[i];
    });
  };
}
Formula formula(const Lamb& o) {
  return [o](const Numbers& w, const Numbers& g, int t, States& s) {
    Numbers r = adam_step(o, g, t, s);
    for (size_t i = 0; i < w.size(); ++i) r[i] += o.weight_decay * w[i];
    const double trust = length(w) == 0 || length(r) == 0 ? 1 : length(w) / length(r);
    return each(w.size(), [&](size_t i) { return w[i] - o.learning_rate * trust * r[i]; });
  };
}
Formula formula(const Adagrad& o) {
  return [o](const Numbers& w, const Numbers& g, int t, States& s) {
    Numbers& sum = state(s, "square_sum", w.size(), o.first_sum);
    s["steps"] = {static_cast<double>(t)};
    return each(w.size(), [&](size_t i) {
      const double d = g[i] + o.weight_decay * w[i];
      sum[i] += d * d;
      return w[i] -
             o.learning_rate / (1 + (t - 1) * o.learning_rate_decay) * d / (std::sqrt(sum[i]) + o.epsilon);
    });
  };
}
Formula formula(const RmsProp& o) {
  return [o](const Numbers& w, const Numbers& g, int, States& s) {
    Numbers &squares = state(s, "square_mean", w.size()), &v = state(s, "velocity", w.size());
    Numbers mean;
    if (o.centered) mean = state(s, "gradient_mean", w.size());
    const Numbers next = each(w.size(), [&](size_t i) {
      const double d = g[i] + o.weight_decay * w[i];
      squares[i] = o.alpha * squares[i] + (1 - o.alpha) * d * d;
      if (o.centered) mean[i] = o.alpha * mean[i] + (1 - o.alpha) * d;
      const double variance = squares[i] - (o.centered ? mean[i] * mean[i] : 0);
      v[i] = o.momentum * v[i] + d / (std::sqrt(variance) + o.epsilon);
      return w[i] - o.learning_rate * v[i];
    });
    if (o.centered) s["gradient_mean"] = mean;
    return next;
  };
}

std::vector<OptimizerRow> optimizer_rows() {
  return {
      row("sgd", Sgd{.learning_rate = 0.1, .momentum = 0.999}),
      row("sgd, small", Sgd{.learning_rate = 1e-8}),
      row("sgd, decay", Sgd{.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 1e-9}),
      row("adam", Adam{}),
      row("adam, decay", Adam{.weight_decay = 0.01}),
      row("adamw", AdamW{}),
      row("lamb", Lamb{}),
      row("adagrad", Adagrad{.learning_rate_decay = 1e-3}),
      row("rmsprop", RmsProp{}),
      row("rmsprop, centered", RmsProp{.alpha = 0.999, .momentum = 0.9, .centered = true})};
}

}  // namespace cutset::testing
