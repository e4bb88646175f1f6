#include <algorithm>

#include "ir/ops/layer_norm/layer_norm_rows.h"
#include "ir/ops/layer_norm/layer_norm_rules.h"

namespace cutset::rules {

namespace layer_norm {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const LayerNormRows rows, layer_norm_rows(in[0].shape, a.axis));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *scale = in[1].as<T>(), *bias = in.size() > 2 ? in[2].as<T>() : nullptr;
    for (int64_t r = 0; r < rows.count; ++r) {
      const T* x = in[0].as<T>() + r * rows.width;
      T* y = out[0].as<T>() + r * rows.width;
      const RowStatistics s(x, rows.width, a.epsilon);
      for (int64_t j = 0; j < rows.width; ++j)
        y[j] = static_cast<T>((x[j] - s.mean) * s.scale * scale[j] + (bias ? bias[j] : 0));
    }
  });
}
}  // namespace layer_norm

// With n = (x - mean) / sqrt(variance + epsilon) and h = gradient * scale, the gradient of a row is
// (h - mean(h) - n * mean(h * n)) / sqrt(variance + epsilon): Ba, Kiros and Hinton, "Layer normalization" (2016), derived.
namespace layer_norm_backward_input {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const LayerNormRows rows, layer_norm_rows(in[1].shape, a.axis));
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    const T* scale = in[2].as<T>();
    const auto width = static_cast<double>(rows.width);
    for (int64_t r = 0; r < rows.count; ++r) {
      const T *g = in[0].as<T>() + r * rows.width, *x = in[1].as<T>() + r * rows.width;
      T* d = out[0].as<T>() + r * rows.width;
      const RowStatistics s(x, rows.width, a.epsilon);
      double sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
      for (int64_t j = 0; j < rows.width; ++j) {
        const double h = static_cast<double>(g[j]) * scale[j];
        sum += h, product += h * (x[j] - s.mean) * s.scale;
      }
      for (int64_t j = 0; j < rows.width; ++j) {
        const double h = static_cast<double>(g[j]) * scale[j], n = (x[j] - s.mean) * s.scale;
        d[j] = static_cast<T>((h - sum / width - n * (product / width)) * s.scale);
      }
    }
  });
}
}  // namespace layer_norm_backward_input

namespace layer_norm_backward_scale {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const LayerNormRows rows, layer_norm_rows(in[1].shape, a.axis));
  return dispatch_float(in[1].dtype, [&]<class T>(T) {
    std::fill_n(out[0].as<T>(), out[0].elements(), T{0});
    for (int64_t r = 0; r < rows.count; ++r) {
      const T *g = in[0].as<T>() + r * rows.width, *x = in[1].as<T>() + r * rows.width;
      const RowStatistics s(x, rows.width, a.epsilon);
      for (int64_t j = 0; j < rows.width; ++j) out[0].as<T>()[j] += static_cast<T>(g[j] * ((x[j] - s.mean) * s.scale));
    }
  });
}
}  // namespace layer_norm_backward_scale

}  // namespace cutset::rules
