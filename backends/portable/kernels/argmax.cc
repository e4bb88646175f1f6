// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/typed_kernels.h"
#include "ir/core/rows.h"
#include "ir/ops/argmax/argmax_attrs.h"

namespace cutset::portable {
namespace {

// LARGEST says whether the largest or the smallest element is taken. LAST says whether the last or the first
// of several equal elements is taken.
const char* kSource = R"(
KERNEL(index_of)(TENSOR(const T, x), TENSOR(long, y), int length, int inner, int n) {
  BIND(const T, x); BIND(long, y);
  int i = ITEM;
  if (i >= n) return;
  x += i / inner * length * inner + i % inner;
  int best = 0;
  for (int j = 1; j < length; j++) {
    T v = x[j * inner], b = x[best * inner];
    bool better = (LARGEST ? v > b : v < b) || (v != v && b == b);
    bool equal = v == b || (v != v && b != b);
    if (better || (equal && LAST)) best = j;
  }
  y[i] = best;
}
)";

template <bool kLargest>
struct IndexOf {
  static std::string supports(const abi::Problem& p) { return check_c_type(p.in_type(0)); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto shape = p.in_shape(0);
    const auto& a = p.attributes<ArgmaxAttrs>();
    const int64_t axis = axis_from_front(a.axis, shape.size()), n = elements(p.out_shape(0));
    const TypedKernel kernel = typed_kernel("index_of", p.in_type(0), kSource);
    list.add_flat(
        definitions({{"LARGEST", kLargest ? "1" : "0"}, {"LAST", a.select_last_index ? "1" : "0"}}) +
            kernel.source,
        kernel.name, n, {in(0), out(0), shape[static_cast<size_t>(axis)], blocks_of(shape, axis).inner, n});
  }
};

}  // namespace

void register_argmax(abi::KernelTable& kernels) {
  add_kernel<IndexOf<true>>(kernels, "argmax");
  add_kernel<IndexOf<false>>(kernels, "argmin");
}

}  // namespace cutset::portable
