#include "backends/portable/im2col.h"

#include "backends/opencl/launch.h"

namespace cutset::portable {

// In the following, n is counted from the first image of the chunk, which begins at the element `first` of x.
static const char* kSource = R"(
#define SIZES int channels, int h, int w, int oh, int ow, int kh, int kw, int sh, int sw, int ph, int pw, int dh, int dw
// Writes one row of the matrix of image n: the elements that filter element (c, k, l) covers, over all pixels.
KERNEL(patches)(TENSOR(const float, x), TENSOR(float, to), int first, SIZES) {
  BIND(const float, x); BIND(float, to);
  int row = ITEM, n = get_global_id(1);
  int l = row % kw, k = row / kw % kh, c = row / kw / kh;
  x += first + (n * channels + c) * h * w;
  to += (n * channels * kh * kw + row) * oh * ow;
  for (int i = 0; i < oh; i++) {
    int r = i * sh - ph + k * dh;
    for (int j = 0; j < ow; j++) {
      int s = j * sw - pw + l * dw;
      to[i * ow + j] = r >= 0 && r < h && s >= 0 && s < w ? x[r * w + s] : 0;
    }
  }
}
// Writes one row of the transposed matrix of image n: the patch of pixel (i, j).
KERNEL(transposed_patches)(TENSOR(const float, x), TENSOR(float, to), int first, SIZES) {
  BIND(const float, x); BIND(float, to);
  int at = ITEM, n = get_global_id(1);
  int j = at % ow, i = at / ow;
  x += first + n * channels * h * w;
  to += (n * oh * ow + at) * channels * kh * kw;
  for (int c = 0; c < channels; c++)
    for (int k = 0; k < kh; k++)
      for (int l = 0; l < kw; l++) {
        int r = i * sh - ph + k * dh, s = j * sw - pw + l * dw;
        *to++ = r >= 0 && r < h && s >= 0 && s < w ? x[(c * h + r) * w + s] : 0;
      }
}
// Computes one plane of x: each element is the sum of its copies in the patches, in the order of the filter elements.
KERNEL(sum_of_patches)(TENSOR(const float, from), TENSOR(float, x), int first, SIZES) {
  BIND(const float, from); BIND(float, x);
  int c = ITEM, n = get_global_id(1);
  x += first + (n * channels + c) * h * w;
  from += (n * channels + c) * kh * kw * oh * ow;
  for (int i = 0; i < h * w; i++) x[i] = 0;
  for (int k = 0; k < kh; k++)
    for (int l = 0; l < kw; l++, from += oh * ow)
      for (int i = 0; i < oh; i++) {
        int r = i * sh - ph + k * dh;
        if (r < 0 || r >= h) continue;
        for (int j = 0; j < ow; j++) {
          int s = j * sw - pw + l * dw;
          if (s >= 0 && s < w) x[r * w + s] += from[i * ow + j];
        }
      }
}
)";

static void add(Launches& list, const char* kernel, int64_t count, const Conv2dShape& s, Images chunk, Argument from,
                Argument to) {
  list.add(kSource, kernel, opencl::items(count, chunk.count),
           {from, to, chunk.first * s.c * s.h * s.w, s.c, s.h, s.w, s.oh, s.ow, s.kh, s.kw, s.sh, s.sw, s.ph, s.pw,
            s.dh, s.dw});
}
void add_patches(Launches& list, const Conv2dShape& s, Images chunk, Argument x, Memory patches) {
  add(list, "patches", s.c * s.kh * s.kw, s, chunk, x, patches);
}
void add_transposed_patches(Launches& list, const Conv2dShape& s, Images chunk, Argument x, Memory patches) {
  add(list, "transposed_patches", s.oh * s.ow, s, chunk, x, patches);
}
void add_sum_of_patches(Launches& list, const Conv2dShape& s, Images chunk, Memory patches, Argument x) {
  add(list, "sum_of_patches", s.c, s, chunk, patches, x);
}

}  // namespace cutset::portable
