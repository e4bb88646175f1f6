// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"

namespace cutset::portable {
namespace {

// Each operation is rounded on its own, as in the reference kernel, so that the copies of a variable on
// devices of different kinds stay bitwise equal.
const char* kSource = R"(
KERNEL(sgd)(TENSOR(const float, w), TENSOR(const float, v), TENSOR(const float, g), TENSOR(const float, rate),
                  TENSOR(const float, momentum), TENSOR(float, nw), TENSOR(float, nv), int n) {
  BIND(const float, w); BIND(const float, v); BIND(const float, g); BIND(const float, rate);
  BIND(const float, momentum); BIND(float, nw); BIND(float, nv);
  int i = ITEM;
  if (i >= n) return;
  float step = *momentum * v[i] + g[i];
  nw[i] = w[i] - *rate * step;
  nv[i] = step;
}
)";

struct Sgd : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(kSource, "sgd", n, {in(0), in(1), in(2), in(3), in(4), out(0), out(1), n});
  }
};

}  // namespace

void register_sgd(abi::KernelTable& kernels) { add_kernel<Sgd>(kernels, "sgd"); }

}  // namespace cutset::portable
