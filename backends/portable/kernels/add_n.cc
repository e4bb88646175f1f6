#include "backends/portable/launches.h"

namespace cutset::portable {
namespace {

const char* kSource = R"(
KERNEL(copy)(TENSOR(const float, x), TENSOR(float, y), int n) {
  BIND(const float, x); BIND(float, y);
  int i = ITEM;
  if (i < n) y[i] = x[i];
}
KERNEL(plus)(TENSOR(const float, x), TENSOR(float, y), int n) {
  BIND(const float, x); BIND(float, y);
  int i = ITEM;
  if (i < n) y[i] += x[i];
}
)";

// One launch per value, in the order of the values.
struct AddN {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    for (size_t i = 0; i < p.inputs(); ++i) list.add_flat(kSource, i ? "plus" : "copy", n, {in(i), out(0), n});
  }
};

}  // namespace

void register_add_n(abi::KernelTable& kernels) { add_kernel<AddN>(kernels, "add_n"); }

}  // namespace cutset::portable
