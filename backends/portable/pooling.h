// SPDX-License-Identifier: Apache-2.0
// Code that the kernels of max_pool and of its gradient share.
#pragma once
#include "backends/portable/window.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::portable {

// Returns the source of the function
// int winner(GLOBAL const T* x, int z, int i, int j, int8 d, int8 h, int8 w) `winner` returns the index of
//   the maximum of window (z, i, j) in the channel x of an image. Of several maxima it returns the first, and
//   NaN is larger than every number. It returns -1 for a window without elements. The macro T is the element
//   type.
inline std::string winner_source(DType type) {
  return std::string("#define T ") + c_type(type) + kWindow + R"(
FUNCTION int winner(GLOBAL const T* x, int z, int i, int j, int8 d, int8 h, int8 w) {
  int best = -1;
  FOR_EACH_TAP {
    int at = IN_WINDOW;
    if (best < 0 || x[at] > x[best] || (x[at] != x[at] && x[best] == x[best])) best = at;
  }
  return best;
}
)";
}

// Appends the launches of the gradient of max_pool for f32, where operand 1 is the image. Each backend
// defines this function.
void add_max_pool_backward(Launches& list, const PoolShape& shape);

}  // namespace cutset::portable
