#include "ir/ops/conv2d/conv2d_shape.h"
#include "ir/ops/conv2d_backward_input/conv2d_backward_input_rules.h"

namespace cutset::rules::conv2d_backward_input {

Status reference(const Conv2dBackwardInputAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const Conv2dShape s, conv2d_shape(in[2].shape, in[1].shape, a.stride, a.padding, a.dilation, a.groups));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *g = in[0].as<T>(), *w = in[1].as<T>();
    T* dx = out[0].as<T>();
    for (int64_t i = 0; i < s.n * s.c * s.h * s.w; ++i) dx[i] = 0;
    for (int64_t n = 0; n < s.n; ++n)
      for (int64_t o = 0; o < s.o; ++o)
        for (int64_t c = 0; c < s.cg; ++c)
          for (int64_t k = 0; k < s.kh; ++k)
            for (int64_t l = 0; l < s.kw; ++l) {
              const T f = w[((o * s.cg + c) * s.kh + k) * s.kw + l];
              const T* plane = g + (n * s.o + o) * s.oh * s.ow;
              T* image = dx + (n * s.c + o / s.og * s.cg + c) * s.h * s.w;
              const int64_t dy = k * s.dh - s.ph, off = l * s.dw - s.pw;
              const Range rows = inside(dy, s.sh, s.h, s.oh), columns = inside(off, s.sw, s.w, s.ow);
              for (int64_t i = rows.first; i < rows.last; ++i) {
                T* row = image + (i * s.sh + dy) * s.w + off;
                for (int64_t j = columns.first; j < columns.last; ++j) row[j * s.sw] += f * plane[i * s.ow + j];
              }
            }
  });
}

}  // namespace cutset::rules::conv2d_backward_input
