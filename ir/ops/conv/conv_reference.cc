// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/conv/conv_rules.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset::rules::conv {

Status reference(const ConvAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ConvShape s, conv_shape_of(a, in[0].shape, in[1].shape));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *x = in[0].as<T>(), *filter = in[1].as<T>(), *b = in.size() > 2 ? in[2].as<T>() : nullptr;
    T* y = out[0].as<T>();
    const WindowAxis& w = s.axes[2];
    const int64_t pixels = s.out();
    for (int64_t n = 0; n < s.n; ++n)
      for (int64_t o = 0; o < s.o; ++o) {
        T* plane = y + (n * s.o + o) * pixels;
        for (int64_t i = 0; i < pixels; ++i) plane[i] = b ? b[o] : T{0};
        const T* factor = filter + o * s.cg * s.taps();
        for (int64_t c = 0; c < s.cg; ++c) {
          const T* image = x + (n * s.c + o / s.og * s.cg + c) * s.in();
          for_each_tap(s.axes, [&](int64_t m, int64_t k, int64_t l) {
            const T f = *factor++;
            const Range columns = inside(w, l);
            for_each_row(s.axes, m, k, [&](int64_t from, int64_t to) {
              const T* row = image + from + covered(w, 0, l);
              for (int64_t j = columns.first; j < columns.last; ++j) plane[to + j] += f * row[j * w.stride];
            });
          });
        }
      }
  });
}

}  // namespace cutset::rules::conv
