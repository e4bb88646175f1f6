// What the pooling kernels of the backends have in common.
#pragma once

namespace cutset::portable {

// The source of the macro SIZES, the parameters of a pooling, and of the function
//   int winner(GLOBAL const float* x, int i, int j, SIZES)
// which returns the index of the maximum of window (i, j) in the plane x: the first of several, and NaN before every
// number.
extern const char* const kWinner;

}  // namespace cutset::portable
