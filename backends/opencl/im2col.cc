// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/im2col.h"

#include "backends/opencl/launch.h"

namespace cutset::portable {

// In the following, n is counted from the first image of the chunk, which begins at the element `first` of x.
static const char* kIm2colSource = R"(
// Writes one row of the matrix of image n: the elements that filter element (c, m, k, l) covers, over all pixels.
KERNEL(patches)(TENSOR(const float, x), TENSOR(float, to), int first, int channels, int8 d, int8 h, int8 w) {
  BIND(const float, x); BIND(float, to);
  int row = ITEM, n = get_global_id(1);
  int l = row % w.TAPS, k = row / w.TAPS % h.TAPS, m = row / w.TAPS / h.TAPS % d.TAPS;
  int c = row / w.TAPS / h.TAPS / d.TAPS, width = w.SIZE, columns = w.RESULT, stride = w.STRIDE, left = COVERED(w, 0, l);
  x += first + (n * channels + c) * d.SIZE * h.SIZE * width;
  to += (n * channels * d.TAPS * h.TAPS * w.TAPS + row) * d.RESULT * h.RESULT * columns;
  for (int z = 0; z < d.RESULT; z++)
    for (int i = 0; i < h.RESULT; i++, to += columns) {
      int q = COVERED(d, z, m), r = COVERED(h, i, k);
      bool inside = INSIDE(d, q) && INSIDE(h, r);
      GLOBAL const float* from = x + (q * h.SIZE + r) * width;
      for (int j = 0; j < columns; j++) {
        int s = j * stride + left;
        to[j] = inside && s >= 0 && s < width ? from[s] : 0;
      }
    }
}
// Writes one row of the transposed matrix of image n: the patch of pixel (z, i, j).
KERNEL(transposed_patches)(TENSOR(const float, x), TENSOR(float, to), int first, int channels, int8 d, int8 h, int8 w) {
  BIND(const float, x); BIND(float, to);
  int at = ITEM, n = get_global_id(1);
  int j = at % w.RESULT, i = at / w.RESULT % h.RESULT, z = at / w.RESULT / h.RESULT;
  x += first + n * channels * d.SIZE * h.SIZE * w.SIZE;
  to += (n * d.RESULT * h.RESULT * w.RESULT + at) * channels * d.TAPS * h.TAPS * w.TAPS;
  for (int c = 0; c < channels; c++)
    for (int m = 0; m < d.TAPS; m++)
      for (int k = 0; k < h.TAPS; k++) {
        int q = COVERED(d, z, m), r = COVERED(h, i, k);
        bool inside = INSIDE(d, q) && INSIDE(h, r);
        GLOBAL const float* from = x + ((c * d.SIZE + q) * h.SIZE + r) * w.SIZE;
        for (int l = 0; l < w.TAPS; l++) {
          int s = COVERED(w, j, l);
          *to++ = inside && INSIDE(w, s) ? from[s] : 0;
        }
      }
}
// Computes one channel of x: each element is the sum of its copies in the patches, in the order of the filter elements.
KERNEL(sum_of_patches)(TENSOR(const float, from), TENSOR(float, x), int first, int channels, int8 d, int8 h, int8 w) {
  BIND(const float, from); BIND(float, x);
  int c = ITEM, n = get_global_id(1), size = d.SIZE * h.SIZE * w.SIZE, columns = w.RESULT;
  x += first + (n * channels + c) * size;
  from += (n * channels + c) * d.TAPS * h.TAPS * w.TAPS * d.RESULT * h.RESULT * columns;
  for (int i = 0; i < size; i++) x[i] = 0;
  for (int m = 0; m < d.TAPS; m++)
    for (int k = 0; k < h.TAPS; k++)
      for (int l = 0; l < w.TAPS; l++)
        for (int z = 0; z < d.RESULT; z++)
          for (int i = 0; i < h.RESULT; i++, from += columns) {
            int q = COVERED(d, z, m), r = COVERED(h, i, k);
            if (!INSIDE(d, q) || !INSIDE(h, r)) continue;
            for (int j = 0; j < columns; j++) {
              int s = COVERED(w, j, l);
              if (INSIDE(w, s)) x[(q * h.SIZE + r) * w.SIZE + s] += from[j];
            }
          }
}
)";

static void add(Launches& list, const char* kernel, int64_t count, const ConvShape& s, Images chunk,
                Argument from, Argument to) {
  const auto& [d, h, w] = s.axes;
  list.add(std::string(kWindow) + kIm2colSource, kernel, opencl::items(count, chunk.count),
           {from, to, chunk.first * s.c * s.in(), s.c, sizes_of(d), sizes_of(h), sizes_of(w)});
}
void add_patches(Launches& list, const ConvShape& s, Images chunk, Argument x, Memory patches) {
  add(list, "patches", s.c * s.taps(), s, chunk, x, patches);
}
void add_transposed_patches(Launches& list, const ConvShape& s, Images chunk, Argument x, Memory patches) {
  add(list, "transposed_patches", s.out(), s, chunk, x, patches);
}
void add_sum_of_patches(Launches& list, const ConvShape& s, Images chunk, Memory patches, Argument x) {
  add(list, "sum_of_patches", s.c, s, chunk, patches, x);
}

}  // namespace cutset::portable
