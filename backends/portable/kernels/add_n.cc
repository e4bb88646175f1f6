// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/reduce.h"

namespace cutset::portable {
namespace {

const char* kSource = R"(
KERNEL(copy)(TENSOR(const T, x), TENSOR(T, y), int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i < n) y[i] = x[i];
}
KERNEL(plus)(TENSOR(const T, x), TENSOR(T, y), int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i < n) y[i] = (T)JOIN((TOTAL)y[i], (TOTAL)x[i]);
}
)";

// One launch per value, in the order of the values.
struct AddN {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    const std::string source = definitions(join_macros(Reduction::kSum, p.out_type(0))) + kSource;
    for (size_t i = 0; i < p.inputs(); ++i) list.add_flat(source, i ? "plus" : "copy", n, {in(i), out(0), n});
  }
};

}  // namespace

void register_add_n(abi::KernelTable& kernels) { add_kernel<AddN>(kernels, "add_n"); }

}  // namespace cutset::portable
