// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/block_sums.h"
#include "backends/portable/window.h"
#include "ir/ops/avg_pool/avg_pool_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::portable {
namespace {

// There is one work-item per element of the result. In the backward kernel, it adds the gradients of the
// windows in which its element lies, in the order of the windows.
const char* const kSource = R"(
// Returns the number of elements of the window at position i that count along an axis.
FUNCTION int counted(int8 axis, int i, int include_pad) {
  int first = first_tap(axis, i, include_pad ? -axis.BEFORE : 0);
  int last = last_tap(axis, i, axis.SIZE + (include_pad ? axis.AFTER : 0));
  return last > first ? last - first : 0;
}
FUNCTION float divisor(int z, int i, int j, int8 d, int8 h, int8 w, int include_pad, int divisor_override) {
  if (divisor_override > 0) return divisor_override;
  long n = (long)counted(d, z, include_pad) * counted(h, i, include_pad) * counted(w, j, include_pad);
  return n > 1 ? n : 1;
}
KERNEL(avg_pool)(TENSOR(const float, x), TENSOR(float, y), int count, int8 d, int8 h, int8 w, int include_pad,
                 int divisor_override) {
  BIND(const float, x); BIND(float, y);
  int e = ITEM;
  if (e >= count) return;
  int j = e % w.RESULT, row = e / w.RESULT, i = row % h.RESULT, layer = row / h.RESULT, z = layer % d.RESULT;
  x += layer / d.RESULT * d.SIZE * h.SIZE * w.SIZE;
  float sum = 0, part = 0;
  int left = SUM_BLOCK;
  FOR_EACH_TAP {
    part += x[IN_WINDOW];
    if (--left == 0) { END_BLOCK(sum, part); left = SUM_BLOCK; }
  }
  y[e] = (sum + part) / divisor(z, i, j, d, h, w, include_pad, divisor_override);
}
#define COVERS(axis, i, at) (((at) - COVERED(axis, i, 0)) % axis.DILATION == 0)
KERNEL(avg_pool_backward)(TENSOR(const float, g), TENSOR(float, dx), int count, int8 d, int8 h, int8 w, int include_pad,
                          int divisor_override) {
  BIND(const float, g); BIND(float, dx);
  int e = ITEM;
  if (e >= count) return;
  int c = e % w.SIZE, row = e / w.SIZE, r = row % h.SIZE, layer = row / h.SIZE, q = layer % d.SIZE;
  g += layer / d.SIZE * d.RESULT * h.RESULT * w.RESULT;
  float sum = 0, part = 0;
  int left = SUM_BLOCK;
  FOR_EACH_POSITION
    if (COVERS(d, z, q) && COVERS(h, i, r) && COVERS(w, j, c)) {
      part += g[AT_POSITION] / divisor(z, i, j, d, h, w, include_pad, divisor_override);
      if (--left == 0) { END_BLOCK(sum, part); left = SUM_BLOCK; }
    }
  dx[e] = sum + part;
}
)";

template <class A>
void add(Launches& list, const abi::Problem& p, const char* kernel, std::span<const int64_t> x) {
  const auto& a = p.attributes<A>();
  const PoolShape s = *pool_shape_of(a, x);
  const auto& [d, h, w] = s.axes;
  const int64_t n = elements(p.out_shape(0));
  list.add_flat(std::string(kBlockSums) + kWindow + kSource, kernel, n,
                {in(0), out(0), n, sizes_of(d), sizes_of(h), sizes_of(w), a.count_include_pad ? 1 : 0,
                 a.divisor_override});
}

struct AvgPool : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    add<AvgPoolAttrs>(list, p, "avg_pool", p.in_shape(0));
  }
};
struct AvgPoolBackward : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    add<AvgPoolBackwardAttrs>(list, p, "avg_pool_backward", p.out_shape(0));
  }
};

}  // namespace

void register_avg_pool(abi::KernelTable& kernels) {
  add_kernel<AvgPool>(kernels, "avg_pool");
  add_kernel<AvgPoolBackward>(kernels, "avg_pool_backward");
}

}  // namespace cutset::portable
