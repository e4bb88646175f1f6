// SPDX-License-Identifier: Apache-2.0
// What the kernels of max_pool and of its gradient have in common.
#pragma once
#include "backends/portable/window.h"

namespace cutset::portable {

// The source of the function
//   int winner(GLOBAL const T* x, int z, int i, int j, int8 d, int8 h, int8 w)
// which returns the index of the maximum of window (z, i, j) in the channel x of an image: the first of
// several, and NaN before every number. It is -1 for a window without elements. The macro T is the element
// type.
inline std::string winner_source(DType type) {
  return std::string("#define T ") + c_type(type) + kWindow + R"(
FUNCTION int winner(GLOBAL const T* x, int z, int i, int j, int8 d, int8 h, int8 w) {
  int best = -1;
  for (int m = first_tap(d, z, 0), end_m = last_tap(d, z, d.SIZE); m < end_m; m++)
    for (int k = first_tap(h, i, 0), end_k = last_tap(h, i, h.SIZE); k < end_k; k++)
      for (int l = first_tap(w, j, 0), end_l = last_tap(w, j, w.SIZE); l < end_l; l++) {
        int at = (COVERED(d, z, m) * h.SIZE + COVERED(h, i, k)) * w.SIZE + COVERED(w, j, l);
        if (best < 0 || x[at] > x[best] || (x[at] != x[at] && x[best] == x[best])) best = at;
      }
  return best;
}
)";
}

}  // namespace cutset::portable
