// The sizes of max-pooling over NCHW images, and a loop over its windows.
#pragma once
#include <span>

#include "ir/core/abi_types.h"
#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

struct PoolShape {
  int64_t planes;          // batch size times channels: each plane is pooled on its own
  int64_t h, w, oh, ow;    // rows and columns of a plane of the images and of the result
  int64_t kh, kw, sh, sw;  // rows and columns of the window, and its stride
  int64_t ph, pw;          // padding above and below, and on the left and right
};
// Fails if the shape of the images or the attributes violate constraint C1, C2 or C3 of max_pool2d. The element type is
// not checked.
Result<PoolShape> pool_shape(std::span<const int64_t> x, cutset_i64s kernel, cutset_i64s stride, cutset_i64s padding);

// Calls f(index of the result, index in x of the maximum) for each window. The first of several equal maxima counts,
// and NaN is larger than every number.
template <class T, class F>
void for_each_window(const PoolShape& s, const T* x, F&& f) {
  for (int64_t p = 0; p < s.planes; ++p)
    for (int64_t i = 0; i < s.oh; ++i)
      for (int64_t j = 0; j < s.ow; ++j) {
        int64_t best = -1;
        for (int64_t k = 0; k < s.kh; ++k)
          for (int64_t l = 0; l < s.kw; ++l) {
            const int64_t r = i * s.sh + k - s.ph, c = j * s.sw + l - s.pw;
            if (r < 0 || r >= s.h || c < 0 || c >= s.w) continue;
            const int64_t at = (p * s.h + r) * s.w + c;
            if (best < 0 || x[at] > x[best] || (x[at] != x[at] && x[best] == x[best])) best = at;
          }
        f((p * s.oh + i) * s.ow + j, best);
      }
}

}  // namespace cutset
