// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/conv/conv_shape.h"
#include "ir/ops/conv_backward_filter/conv_backward_filter_rules.h"

namespace cutset::rules::conv_backward_filter {

// An element of the result is a sum over all pixels of all images. This is the longest sum of a network. So a
// row of pixels is summed in the element type of the tensors, and the rows are summed in f64.
Status reference(const ConvBackwardFilterAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ConvShape s, conv_shape_of(a, in[1].shape, out[0].shape));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *g = in[0].as<T>(), *x = in[1].as<T>();
    T* of_filter = out[0].as<T>();
    const WindowAxis& w = s.axes[2];
    for (int64_t o = 0; o < s.o; ++o)
      for (int64_t c = 0; c < s.cg; ++c)
        for_each_tap(s.axes, [&](int64_t m, int64_t k, int64_t l) {
          const Range columns = inside(w, l);
          double sum = 0;
          for (int64_t n = 0; n < s.n; ++n) {
            const T* plane = g + (n * s.o + o) * s.out();
            const T* image = x + (n * s.c + o / s.og * s.cg + c) * s.in() + covered(w, 0, l);
            for_each_row(s.axes, m, k, [&](int64_t from, int64_t to) {
              const T *row = image + from, *gradients = plane + to;
              T part = 0;
#pragma omp simd reduction(+ : part)
              for (int64_t j = columns.first; j < columns.last; ++j) part += gradients[j] * row[j * w.stride];
              sum += part;
            });
          }
          *of_filter++ = static_cast<T>(sum);
        });
  });
}

}  // namespace cutset::rules::conv_backward_filter
