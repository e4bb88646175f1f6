#include "backends/portable/pooling.h"

namespace cutset::portable {

const char* const kWinner = R"(
#define SIZES int h, int w, int oh, int ow, int kh, int kw, int sh, int sw, int ph, int pw
FUNCTION int winner(GLOBAL const float* x, int i, int j, SIZES) {
  int best = -1;
  for (int k = 0; k < kh; k++)
    for (int l = 0; l < kw; l++) {
      int r = i * sh + k - ph, c = j * sw + l - pw, at = r * w + c;
      if (r < 0 || r >= h || c < 0 || c >= w) continue;
      if (best < 0 || x[at] > x[best] || (x[at] != x[at] && x[best] == x[best])) best = at;
    }
  return best;
}
)";

}  // namespace cutset::portable
