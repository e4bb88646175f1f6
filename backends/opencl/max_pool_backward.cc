// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/launch.h"
#include "backends/portable/pooling.h"

namespace cutset::portable {

// There is one work-item per channel of an image, so the kernel can add to the elements of its channel
// without atomics.
static const char* const kMaxPoolSource = R"(
KERNEL(backward)(TENSOR(const float, x), TENSOR(const float, g), TENSOR(float, dx), int8 d, int8 h, int8 w) {
  BIND(const float, x); BIND(const float, g); BIND(float, dx);
  int p = ITEM, size = d.SIZE * h.SIZE * w.SIZE;
  x += p * size; dx += p * size; g += p * d.RESULT * h.RESULT * w.RESULT;
  for (int i = 0; i < size; i++) dx[i] = 0;
  for (int z = 0; z < d.RESULT; z++)
    for (int i = 0; i < h.RESULT; i++)
      for (int j = 0; j < w.RESULT; j++, g++) {
        int best = winner(x, z, i, j, d, h, w);
        if (best >= 0) dx[best] += *g;
      }
}
)";

void add_max_pool_backward(Launches& list, const PoolShape& shape) {
  const auto& [d, h, w] = shape.axes;
  list.add(winner_source(DType::f32) + kMaxPoolSource, "backward", opencl::items(shape.planes()),
           {in(1), in(0), out(0), sizes_of(d), sizes_of(h), sizes_of(w)});
}

}  // namespace cutset::portable
