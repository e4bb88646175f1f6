// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/portable/typed_kernels.h"
#include "ir/ops/trilu/trilu_attrs.h"

namespace cutset::portable {
namespace {

// UPPER says on which side of the diagonal elements are kept.
const char* kSource = R"(
KERNEL(trilu)(TENSOR(const T, x), TENSOR(T, y), int rows, int columns, int diagonal, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  int of_diagonal = i % columns - i / columns % rows;
  y[i] = (UPPER ? of_diagonal >= diagonal : of_diagonal <= diagonal) ? x[i] : (T)0;
}
)";

struct Trilu {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<TriluAttrs>();
    const auto shape = p.in_shape(0);
    const int64_t n = elements(shape), rows = shape[shape.size() - 2], columns = shape.back();
    if (n == 0) return;
    // No element is more than `rows` below or `columns` above the main diagonal.
    const TypedKernel kernel = moving_kernel("trilu", size_of(p.in_type(0)), kSource);
    list.add_flat(definitions({{"UPPER", a.upper ? "1" : "0"}}) + kernel.source, kernel.name, n,
                  {in(0), out(0), rows, columns, std::clamp(a.diagonal, -rows, columns), n});
  }
};

}  // namespace

void register_trilu(abi::KernelTable& kernels) { add_kernel<Trilu>(kernels, "trilu"); }

}  // namespace cutset::portable
