// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/language.h"
#include "backends/portable/pooling.h"
#include "ir/ops/pooling/pooling_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::cuda {
namespace {

// There is one thread per element of the result. It adds the gradients of the windows whose maximum is its
// element, in the order of the windows, so no atomics are needed.
const char* const kSource = R"(
KERNEL(backward)(TENSOR(const float, x), TENSOR(const float, g), TENSOR(float, dx), int count, int8 d, int8 h, int8 w) {
  BIND(const float, x); BIND(const float, g); BIND(float, dx);
  int e = ITEM;
  if (e >= count) return;
  int size = d.SIZE * h.SIZE * w.SIZE, at = e % size, plane = e / size;
  int c = at % w.SIZE, r = at / w.SIZE % h.SIZE, q = at / w.SIZE / h.SIZE;
  x += plane * size; g += plane * d.RESULT * h.RESULT * w.RESULT;
  float sum = 0;
  for (int z = first_position(d, q), end_z = last_position(d, q); z < end_z; z++)
    for (int i = first_position(h, r), end_i = last_position(h, r); i < end_i; i++)
      for (int j = first_position(w, c), end_j = last_position(w, c); j < end_j; j++)
        if (winner(x, z, i, j, d, h, w) == at) sum += g[(z * h.RESULT + i) * w.RESULT + j];
  dx[e] = sum;
}
)";

struct Backward {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const PoolShape s = *pool_shape_of(p.attributes<PoolingBackwardAttrs>(), p.in_shape(1));
    const auto& [d, h, w] = s.axes;
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(winner_source(DType::f32) + kSource, "backward", n,
                  {in(1), in(0), out(0), n, sizes_of(d), sizes_of(h), sizes_of(w)});
  }
};

}  // namespace

void register_max_pool_backward(abi::KernelTable& kernels) {
  add_kernel<Backward>(kernels, "max_pool_backward");
}

}  // namespace cutset::cuda
