// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/im2col.h"

#include "backends/cuda/language.h"

namespace cutset::portable {

// There is one thread per element of the result, and neighbouring threads write neighbouring elements. The
// chunk begins at the element `first` of x.
static const char* const kIm2colSource = R"(
// Returns the element of x that filter element (c, m, k, l) covers at pixel (z, i, j) of image n, or 0 in the
// padding.
FUNCTION float covered(const float* x, int n, int filter, int pixel, int channels, int8 d, int8 h, int8 w) {
  int l = filter % w.TAPS, rest = filter / w.TAPS, s = COVERED(w, pixel % w.RESULT, l);
  int k = rest % h.TAPS, row = pixel / w.RESULT, r = COVERED(h, row % h.RESULT, k);
  rest /= h.TAPS;
  int m = rest % d.TAPS, c = rest / d.TAPS, q = COVERED(d, row / h.RESULT, m);
  return INSIDE(d, q) && INSIDE(h, r) && INSIDE(w, s)
      ? x[(((n * channels + c) * d.SIZE + q) * h.SIZE + r) * w.SIZE + s] : 0.0f;
}
KERNEL(patches)(TENSOR(const float, x), TENSOR(float, to), int count, int first, int channels, int8 d, int8 h, int8 w) {
  BIND(const float, x); BIND(float, to);
  x += first;
  int e = ITEM, pixels = d.RESULT * h.RESULT * w.RESULT, filters = channels * d.TAPS * h.TAPS * w.TAPS;
  if (e < count) to[e] = covered(x, e / pixels / filters, e / pixels % filters, e % pixels, channels, d, h, w);
}
KERNEL(transposed_patches)(TENSOR(const float, x), TENSOR(float, to), int count, int first, int channels, int8 d, int8 h,
                           int8 w) {
  BIND(const float, x); BIND(float, to);
  x += first;
  int e = ITEM, pixels = d.RESULT * h.RESULT * w.RESULT, filters = channels * d.TAPS * h.TAPS * w.TAPS;
  if (e < count) to[e] = covered(x, e / filters / pixels, e % filters, e / filters % pixels, channels, d, h, w);
}
// Returns the position of the window whose element t covers index `at` of the image, or -1 if there is none.
FUNCTION int position(int at, int t, int8 axis) {
  int from = at + axis.BEFORE - t * axis.DILATION;
  return from < 0 || from % axis.STRIDE || from / axis.STRIDE >= axis.RESULT ? -1 : from / axis.STRIDE;
}
// Each element of x is the sum of its copies in the patches, in the order of the filter elements.
KERNEL(sum_of_patches)(TENSOR(const float, from), TENSOR(float, x), int count, int first, int channels, int8 d, int8 h,
                       int8 w) {
  BIND(const float, from); BIND(float, x);
  x += first;
  int e = ITEM;
  if (e >= count) return;
  int s = e % w.SIZE, r = e / w.SIZE % h.SIZE, q = e / w.SIZE / h.SIZE % d.SIZE, plane = e / w.SIZE / h.SIZE / d.SIZE;
  float sum = 0;
  for (int m = 0; m < d.TAPS; m++) {
    int z = position(q, m, d);
    for (int k = 0; z >= 0 && k < h.TAPS; k++) {
      int i = position(r, k, h);
      for (int l = 0; i >= 0 && l < w.TAPS; l++) {
        int j = position(s, l, w), tap = ((plane * d.TAPS + m) * h.TAPS + k) * w.TAPS + l;
        if (j >= 0) sum += from[((tap * d.RESULT + z) * h.RESULT + i) * w.RESULT + j];
      }
    }
  }
  x[e] = sum;
}
)";

static void add(Launches& list, const char* kernel, int64_t count, const ConvShape& s, Images chunk,
                Argument from, Argument to) {
  const auto& [d, h, w] = s.axes;
  list.add_flat(std::string(kWindow) + kIm2colSource, kernel, count,
                {from, to, count, chunk.first * s.c * s.in(), s.c, sizes_of(d), sizes_of(h), sizes_of(w)});
}
void add_patches(Launches& list, const ConvShape& s, Images chunk, Argument x, Memory patches) {
  add(list, "patches", chunk.count * s.c * s.taps() * s.out(), s, chunk, x, patches);
}
void add_transposed_patches(Launches& list, const ConvShape& s, Images chunk, Argument x, Memory patches) {
  add(list, "transposed_patches", chunk.count * s.c * s.taps() * s.out(), s, chunk, x, patches);
}
void add_sum_of_patches(Launches& list, const ConvShape& s, Images chunk, Memory patches, Argument x) {
  add(list, "sum_of_patches", chunk.count * s.c * s.in(), s, chunk, patches, x);
}

}  // namespace cutset::portable
