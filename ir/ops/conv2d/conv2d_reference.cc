#include "ir/ops/conv2d/conv2d_rules.h"
#include "ir/ops/conv2d/conv2d_shape.h"

namespace cutset::rules::conv2d {

Status reference(const Conv2dAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const Conv2dShape s, conv2d_shape(in[0].shape, in[1].shape, a.stride, a.padding, a.dilation, a.groups));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *x = in[0].as<T>(), *w = in[1].as<T>(), *b = in.size() > 2 ? in[2].as<T>() : nullptr;
    T* y = out[0].as<T>();
    for (int64_t n = 0; n < s.n; ++n)
      for (int64_t o = 0; o < s.o; ++o) {
        T* plane = y + (n * s.o + o) * s.oh * s.ow;
        for (int64_t i = 0; i < s.oh * s.ow; ++i) plane[i] = b ? b[o] : T{0};
        for (int64_t c = 0; c < s.cg; ++c)
          for (int64_t k = 0; k < s.kh; ++k)
            for (int64_t l = 0; l < s.kw; ++l) {
              const T f = w[((o * s.cg + c) * s.kh + k) * s.kw + l];
              const T* image = x + (n * s.c + o / s.og * s.cg + c) * s.h * s.w;
              const int64_t dy = k * s.dh - s.ph, dx = l * s.dw - s.pw;
              const Range rows = inside(dy, s.sh, s.h, s.oh), columns = inside(dx, s.sw, s.w, s.ow);
              for (int64_t i = rows.first; i < rows.last; ++i) {
                const T* row = image + (i * s.sh + dy) * s.w + dx;
                for (int64_t j = columns.first; j < columns.last; ++j) plane[i * s.ow + j] += f * row[j * s.sw];
              }
            }
      }
  });
}

}  // namespace cutset::rules::conv2d
