// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/ops/layer_norm/layer_norm_rows.h"
#include "ir/ops/layer_norm/layer_norm_rules.h"

namespace cutset::rules {

namespace layer_norm {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const LayerNormRows rows, layer_norm_rows(in[0].shape, a.axis));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *x = in[0].as<T>(), *scale = in[1].as<T>(), *bias = in.size() > 2 ? in[2].as<T>() : nullptr;
    for (int64_t r = 0; r < rows.count; ++r)
      normalize_row(x + r * rows.width, scale, bias, out[0].as<T>() + r * rows.width, rows.width, a.epsilon);
  });
}
}  // namespace layer_norm

namespace layer_norm_backward_input {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const LayerNormRows rows, layer_norm_rows(in[1].shape, a.axis));
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    const T *g = in[0].as<T>(), *x = in[1].as<T>(), *scale = in[2].as<T>();
    for (int64_t r = 0; r < rows.count; ++r) {
      const int64_t at = r * rows.width;
      gradient_of_row(g + at, x + at, scale, out[0].as<T>() + at, rows.width, a.epsilon);
    }
  });
}
}  // namespace layer_norm_backward_input

namespace layer_norm_backward_scale {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const LayerNormRows rows, layer_norm_rows(in[1].shape, a.axis));
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    const T *g = in[0].as<T>(), *x = in[1].as<T>();
    constexpr int64_t kColumns = 1024;  // the sums that are kept at the same time
    for (int64_t first = 0; first < rows.width; first += kColumns) {
      const int64_t last = std::min(first + kColumns, rows.width);
      double sums[kColumns] = {};
      for (int64_t r = 0; r < rows.count; ++r)
        add_scale_of_row(g + r * rows.width, x + r * rows.width, sums, rows.width, a.epsilon, first, last);
      for (int64_t j = first; j < last; ++j) out[0].as<T>()[j] = static_cast<T>(sums[j - first]);
    }
  });
}
}  // namespace layer_norm_backward_scale

}  // namespace cutset::rules
