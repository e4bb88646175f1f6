#include "backends/portable/launches.h"

namespace cutset::portable {
namespace {

// The new sum may lie in the memory of the sum: each item reads its element before it writes it.
const char* kSource = R"(
KERNEL(accumulate)(TENSOR(const float, sum), TENSOR(const float, value), TENSOR(float, new_sum), int n) {
  BIND(const float, sum); BIND(const float, value); BIND(float, new_sum);
  int i = ITEM;
  if (i < n) new_sum[i] = sum[i] + value[i];
}
)";

struct Accumulate {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(kSource, "accumulate", n, {in(0), in(1), out(0), n});
  }
};

}  // namespace

void register_accumulate(abi::KernelTable& kernels) { add_kernel<Accumulate>(kernels, "accumulate"); }

}  // namespace cutset::portable
