// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/launch.h"
#include "backends/portable/pooling.h"
#include "ir/ops/pooling/pooling_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::opencl {
namespace {

// There is one work-item per channel of an image, so the kernel can add to the elements of its channel
// without atomics.
const char* kSource = R"(
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

struct Backward {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const PoolShape s = *pool_shape_of(p.attributes<PoolingBackwardAttrs>(), p.in_shape(1));
    const auto& [d, h, w] = s.axes;
    list.add(winner_source(DType::f32) + kSource, "backward", items(s.planes()),
             {in(1), in(0), out(0), sizes_of(d), sizes_of(h), sizes_of(w)});
  }
};

}  // namespace

void register_max_pool_backward(abi::KernelTable& kernels) {
  add_kernel<Backward>(kernels, "max_pool_backward");
}

}  // namespace cutset::opencl
