// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "ir/ops/softmax_cross_entropy/labels.h"
#include "ir/ops/softmax_cross_entropy/softmax_cross_entropy_rules.h"

namespace cutset::rules {
namespace {

template <class T>
T largest(const T* row, int64_t n) {
  T best = row[0];
  for (int64_t j = 1; j < n; ++j)
    if (row[j] > best) best = row[j];
  return best;
}

}  // namespace

namespace softmax_cross_entropy {
Status reference(const Attrs&, Views in, Views out) {
  const int64_t n = in[0].dim(0), c = in[0].dim(1);
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < n; ++i) {
      const T* row = in[0].as<T>() + i * c;
      const int64_t label = label_at(in[1].dtype, in[1].data, i);
      T& loss = out[0].as<T>()[i];
      if (label < 0 || label >= c) {
        loss = std::numeric_limits<T>::quiet_NaN();
        continue;
      }
      const T top = largest(row, c);
      double sum = 0;
      for (int64_t j = 0; j < c; ++j) sum += std::exp(row[j] - top);
      loss = static_cast<T>(std::log(sum)) + top - row[label];
    }
  });
}
}  // namespace softmax_cross_entropy

namespace softmax_cross_entropy_backward {
Status reference(const Attrs&, Views in, Views out) {
  const int64_t n = in[1].dim(0), c = in[1].dim(1);
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < n; ++i) {
      const T *row = in[1].as<T>() + i * c, g = in[0].as<T>()[i];
      T* d = out[0].as<T>() + i * c;
      const int64_t label = label_at(in[2].dtype, in[2].data, i);
      const T top = largest(row, c);
      double sum = 0;
      for (int64_t j = 0; j < c; ++j) sum += d[j] = std::exp(row[j] - top);
      for (int64_t j = 0; j < c; ++j) d[j] = g * (d[j] / static_cast<T>(sum) - (j == label ? T{1} : T{0}));
    }
  });
}
}  // namespace softmax_cross_entropy_backward

}  // namespace cutset::rules
