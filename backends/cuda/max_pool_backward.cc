// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/pooling.h"

namespace cutset::portable {

// There is one thread per element of the result. A thread adds the gradients of the windows whose maximum is
// its element, in the order of the windows, so no atomics are needed.
static const char* const kMaxPoolSource = R"(
KERNEL(backward)(TENSOR(const float, x), TENSOR(const float, g), TENSOR(float, dx), int count, int8 d, int8 h, int8 w) {
  BIND(const float, x); BIND(const float, g); BIND(float, dx);
  int e = ITEM;
  if (e >= count) return;
  int size = d.SIZE * h.SIZE * w.SIZE, at = e % size, plane = e / size;
  int c = at % w.SIZE, r = at / w.SIZE % h.SIZE, q = at / w.SIZE / h.SIZE;
  x += plane * size; g += plane * d.RESULT * h.RESULT * w.RESULT;
  float sum = 0;
  FOR_EACH_POSITION
    if (winner(x, z, i, j, d, h, w) == at) sum += g[AT_POSITION];
  dx[e] = sum;
}
)";

void add_max_pool_backward(Launches& list, const PoolShape& shape) {
  const auto& [d, h, w] = shape.axes;
  const int64_t count = shape.planes() * shape.in();
  list.add_flat(winner_source(DType::f32) + kMaxPoolSource, "backward", count,
                {in(1), in(0), out(0), count, sizes_of(d), sizes_of(h), sizes_of(w)});
}

}  // namespace cutset::portable
