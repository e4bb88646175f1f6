// SPDX-License-Identifier: Apache-2.0
// The kernels of max_pool, of max_pool_indices and of the gradient.
#include "backends/portable/pooling.h"
#include "backends/portable/reduce.h"
#include "ir/ops/pooling/pooling_attrs.h"

namespace cutset::portable {
namespace {

// VALUE is the result for the index `best` of the maximum.
const char* const kSource = R"(
KERNEL(max_pool)(TENSOR(const T, x), TENSOR(RESULT_TYPE, y), int count, int8 d, int8 h, int8 w) {
  BIND(const T, x); BIND(RESULT_TYPE, y);
  int e = ITEM;
  if (e >= count) return;
  int j = e % w.RESULT, row = e / w.RESULT, i = row % h.RESULT, layer = row / h.RESULT, z = layer % d.RESULT;
  x += layer / d.RESULT * d.SIZE * h.SIZE * w.SIZE;
  int best = winner(x, z, i, j, d, h, w);
  y[e] = VALUE;
}
)";

void add(Launches& list, const abi::Problem& p, const PoolShape& s, const std::string& value) {
  const auto& [d, h, w] = s.axes;
  const int64_t n = elements(p.out_shape(0));
  list.add_flat("#define RESULT_TYPE " + std::string(c_type(p.out_type(0))) + "\n#define VALUE " + value +
                    "\n" + winner_source(p.in_type(0)) + kSource,
                "max_pool", n, {in(0), out(0), n, sizes_of(d), sizes_of(h), sizes_of(w)});
}

struct MaxPool {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const PoolShape s = *pool_shape_of(p.attributes<PoolingAttrs>(), p.in_shape(0));
    add(list, p, s, "best < 0 ? " + limit_of(p.in_type(0), false) + " : x[best]");
  }
};
struct MaxPoolIndices {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    add(list, p, *pool_shape_of(p.attributes<PoolingIndicesAttrs>(), p.in_shape(0)), "best");
  }
};
struct MaxPoolBackward : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    add_max_pool_backward(list, *pool_shape_of(p.attributes<PoolingBackwardAttrs>(), p.in_shape(1)));
  }
};

}  // namespace

void register_max_pool(abi::KernelTable& kernels) {
  add_kernel<MaxPool>(kernels, "max_pool");
  add_kernel<MaxPoolIndices>(kernels, "max_pool_indices");
  add_kernel<MaxPoolBackward>(kernels, "max_pool_backward");
}

}  // namespace cutset::portable
