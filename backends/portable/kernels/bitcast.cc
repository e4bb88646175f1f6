#include "backends/portable/launches.h"

namespace cutset::portable {
namespace {

const char* kSource = R"(
KERNEL(bitcast)(TENSOR(const T, x), TENSOR(T, y), int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i < n) y[i] = x[i];
}
)";

struct Bitcast {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    if (n == 0) return;
    list.add_flat(std::string("#define T ") + bits_type(size_of(p.in_type(0))) + kSource, "bitcast", n,
                  {in(0), out(0), n});
  }
};

}  // namespace

void register_bitcast(abi::KernelTable& kernels) { add_kernel<Bitcast>(kernels, "bitcast"); }

}  // namespace cutset::portable
