#include "ir/ops/conv2d/conv2d_shape.h"
#include "ir/ops/conv2d_backward_filter/conv2d_backward_filter_rules.h"

namespace cutset::rules::conv2d_backward_filter {

// An element of the result is a sum over all pixels of all images, the longest sum of a network. A row of pixels is
// added up in the element type of the tensors, and the rows are added up in f64.
Status reference(const Conv2dBackwardFilterAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const Conv2dShape s, conv2d_shape(in[1].shape, in[2].shape, a.stride, a.padding, a.dilation, a.groups));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *g = in[0].as<T>(), *x = in[1].as<T>();
    T* dw = out[0].as<T>();
    for (int64_t o = 0; o < s.o; ++o)
      for (int64_t c = 0; c < s.cg; ++c)
        for (int64_t k = 0; k < s.kh; ++k)
          for (int64_t l = 0; l < s.kw; ++l) {
            const int64_t dy = k * s.dh - s.ph, off = l * s.dw - s.pw;
            const Range rows = inside(dy, s.sh, s.h, s.oh), columns = inside(off, s.sw, s.w, s.ow);
            double sum = 0;
            for (int64_t n = 0; n < s.n; ++n)
              for (int64_t i = rows.first; i < rows.last; ++i) {
                const T* plane = g + ((n * s.o + o) * s.oh + i) * s.ow;
                const T* row = x + ((n * s.c + o / s.og * s.cg + c) * s.h + i * s.sh + dy) * s.w + off;
                T part = 0;
#pragma omp simd reduction(+ : part)
                for (int64_t j = columns.first; j < columns.last; ++j) part += plane[j] * row[j * s.sw];
                sum += part;
              }
            dw[((o * s.cg + c) * s.kh + k) * s.kw + l] = static_cast<T>(sum);
          }
  });
}

}  // namespace cutset::rules::conv2d_backward_filter
