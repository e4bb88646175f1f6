#include "backends/portable/im2col.h"

#include "backends/cuda/language.h"

namespace cutset::portable {

// There is one thread per element of the result, and neighbouring threads write neighbouring elements. The chunk begins at
// the element `first` of x.
static const char* const kSource = R"(
#define SIZES int channels, int h, int w, int oh, int ow, int kh, int kw, int sh, int sw, int ph, int pw, int dh, int dw
// The element of x that filter element (c, k, l) covers at pixel (i, j) of image n, or 0 in the padding.
FUNCTION float covered(const float* x, int n, int filter, int pixel, SIZES) {
  int l = filter % kw, k = filter / kw % kh, c = filter / kw / kh;
  int r = pixel / ow * sh - ph + k * dh, s = pixel % ow * sw - pw + l * dw;
  return r >= 0 && r < h && s >= 0 && s < w ? x[((n * channels + c) * h + r) * w + s] : 0.0f;
}
#define GIVEN channels, h, w, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw
KERNEL(patches)(TENSOR(const float, x), TENSOR(float, to), int count, int first, SIZES) {
  BIND(const float, x); BIND(float, to);
  x += first;
  int e = ITEM, pixels = oh * ow, filters = channels * kh * kw;
  if (e < count) to[e] = covered(x, e / pixels / filters, e / pixels % filters, e % pixels, GIVEN);
}
KERNEL(transposed_patches)(TENSOR(const float, x), TENSOR(float, to), int count, int first, SIZES) {
  BIND(const float, x); BIND(float, to);
  x += first;
  int e = ITEM, pixels = oh * ow, filters = channels * kh * kw;
  if (e < count) to[e] = covered(x, e / filters / pixels, e % filters, e / filters % pixels, GIVEN);
}
// Each element of x is the sum of its copies in the patches, in the order of the filter elements.
KERNEL(sum_of_patches)(TENSOR(const float, from), TENSOR(float, x), int count, int first, SIZES) {
  BIND(const float, from); BIND(float, x);
  x += first;
  int e = ITEM;
  if (e >= count) return;
  int s = e % w, r = e / w % h, plane = e / w / h;
  float sum = 0;
  for (int k = 0; k < kh; k++)
    for (int l = 0; l < kw; l++) {
      int i = r + ph - k * dh, j = s + pw - l * dw;
      if (i < 0 || j < 0 || i % sh || j % sw || i / sh >= oh || j / sw >= ow) continue;
      sum += from[(((plane * kh + k) * kw + l) * oh + i / sh) * ow + j / sw];
    }
  x[e] = sum;
}
)";

static void add(Launches& list, const char* kernel, int64_t count, const Conv2dShape& s, Images chunk, Argument from,
                Argument to) {
  list.add_flat(kSource, kernel, count,
                {from, to, count, chunk.first * s.c * s.h * s.w, s.c, s.h, s.w, s.oh, s.ow, s.kh, s.kw, s.sh, s.sw,
                 s.ph, s.pw, s.dh, s.dw});
}
void add_patches(Launches& list, const Conv2dShape& s, Images chunk, Argument x, Memory patches) {
  add(list, "patches", chunk.count * s.c * s.kh * s.kw * s.oh * s.ow, s, chunk, x, patches);
}
void add_transposed_patches(Launches& list, const Conv2dShape& s, Images chunk, Argument x, Memory patches) {
  add(list, "transposed_patches", chunk.count * s.c * s.kh * s.kw * s.oh * s.ow, s, chunk, x, patches);
}
void add_sum_of_patches(Launches& list, const Conv2dShape& s, Images chunk, Memory patches, Argument x) {
  add(list, "sum_of_patches", chunk.count * s.c * s.h * s.w, s, chunk, patches, x);
}

}  // namespace cutset::portable
