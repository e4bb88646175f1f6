// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/ops/softmax/softmax_lines.h"
#include "ir/ops/softmax/softmax_rules.h"

namespace cutset::rules {
namespace {

// Returns the largest element of a line of at least one element. It is subtracted before exp, so that exp
// does not overflow.
template <class T>
T largest(const T* line, const SoftmaxLines& s) {
  T best = line[0];
  for (int64_t j = 1; j < s.length; ++j)
    if (line[j * s.inner] > best) best = line[j * s.inner];
  return best;
}

// Calls f(first element of the operand's line, first element of the result's line) for each line that has
// elements.
template <class T, class F>
void for_each_line(const SoftmaxLines& s, const TensorView& in, const TensorView& out, F&& f) {
  if (s.length == 0) return;
  for (int64_t i = 0; i < s.count(); ++i) f(in.as<T>() + s.first(i), out.as<T>() + s.first(i));
}

}  // namespace

namespace softmax {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const SoftmaxLines s, softmax_lines(in[0].shape, a.axis));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    for_each_line<T>(s, in[0], out[0], [&](const T* x, T* y) {
      const T top = largest(x, s);
      double sum = 0;
      for (int64_t j = 0; j < s.length; ++j) sum += y[j * s.inner] = std::exp(x[j * s.inner] - top);
      for (int64_t j = 0; j < s.length; ++j) y[j * s.inner] /= static_cast<T>(sum);
    });
  });
}
}  // namespace softmax

namespace log_softmax {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const SoftmaxLines s, softmax_lines(in[0].shape, a.axis));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    for_each_line<T>(s, in[0], out[0], [&](const T* x, T* y) {
      const T top = largest(x, s);
      double sum = 0;
      for (int64_t j = 0; j < s.length; ++j) sum += std::exp(x[j * s.inner] - top);
      const T log_of_sum = static_cast<T>(std::log(sum));
      for (int64_t j = 0; j < s.length; ++j) y[j * s.inner] = x[j * s.inner] - top - log_of_sum;
    });
  });
}
}  // namespace log_softmax

namespace softmax_backward {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const SoftmaxLines s, softmax_lines(in[1].shape, a.axis));
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    for_each_line<T>(s, in[0], out[0], [&](const T* g, T* d) {
      const T* y = in[1].as<T>() + (g - in[0].as<T>());
      double sum = 0;
      for (int64_t j = 0; j < s.length; ++j) sum += static_cast<double>(g[j * s.inner]) * y[j * s.inner];
      for (int64_t j = 0; j < s.length; ++j)
        d[j * s.inner] = y[j * s.inner] * (g[j * s.inner] - static_cast<T>(sum));
    });
  });
}
}  // namespace softmax_backward

namespace log_softmax_backward {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const SoftmaxLines s, softmax_lines(in[1].shape, a.axis));
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    for_each_line<T>(s, in[0], out[0], [&](const T* g, T* d) {
      const T* y = in[1].as<T>() + (g - in[0].as<T>());
      double sum = 0;
      for (int64_t j = 0; j < s.length; ++j) sum += g[j * s.inner];
      for (int64_t j = 0; j < s.length; ++j)
        d[j * s.inner] = g[j * s.inner] - std::exp(y[j * s.inner]) * static_cast<T>(sum);
    });
  });
}
}  // namespace log_softmax_backward

}  // namespace cutset::rules
