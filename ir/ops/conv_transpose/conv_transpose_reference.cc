// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/conv/conv_shape.h"
#include "ir/ops/conv_transpose/conv_transpose_rules.h"

namespace cutset::rules::conv_transpose {

Status reference(const ConvTransposeAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ConvShape s, conv_shape_of(a, out[0].shape, in[1].shape));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *x = in[0].as<T>(), *filter = in[1].as<T>();
    T* y = out[0].as<T>();
    const WindowAxis& w = s.axes[2];
    for (int64_t i = 0, count = out[0].elements(); i < count; ++i) y[i] = 0;
    for (int64_t n = 0; n < s.n; ++n)
      for (int64_t o = 0; o < s.o; ++o) {
        const T* plane = x + (n * s.o + o) * s.out();
        const T* factor = filter + o * s.cg * s.taps();
        for (int64_t c = 0; c < s.cg; ++c) {
          T* image = y + (n * s.c + o / s.og * s.cg + c) * s.in();
          for_each_tap(s.axes, [&](int64_t m, int64_t k, int64_t l) {
            const T f = *factor++;
            const Range columns = inside(w, l);
            for_each_row(s.axes, m, k, [&](int64_t to, int64_t from) {
              T* row = image + to + covered(w, 0, l);
              for (int64_t j = columns.first; j < columns.last; ++j) row[j * w.stride] += f * plane[from + j];
            });
          });
        }
      }
  });
}

}  // namespace cutset::rules::conv_transpose
