// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/reduce.h"
#include "backends/portable/typed_kernels.h"

namespace cutset::portable {
namespace {

// The new sum may replace the sum in its memory, because each item reads its element before it writes it.
const char* kSource = R"(
KERNEL(accumulate)(TENSOR(const T, sum), TENSOR(const T, value), TENSOR(T, new_sum), int n) {
  BIND(const T, sum); BIND(const T, value); BIND(T, new_sum);
  int i = ITEM;
  if (i < n) new_sum[i] = (T)JOIN((TOTAL)sum[i], (TOTAL)value[i]);
}
)";

struct Accumulate {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    const DType type = p.out_type(0);
    const auto macros = [](DType t) { return join_macros(Reduction::kSum, t); };
    const TypedKernel kernel = typed_kernel("accumulate", type, macros, kSource);
    list.add_flat(kernel.source, kernel.name, n, {in(0), in(1), out(0), n});
  }
};

}  // namespace

void register_accumulate(abi::KernelTable& kernels) { add_kernel<Accumulate>(kernels, "accumulate"); }

}  // namespace cutset::portable
