// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "backends/portable/update_source.h"

namespace cutset::portable {
namespace {

std::string source() {
  return update_source("adadelta", {"w", "s", "u", "g", "rate", "rho", "epsilon", "decay"},
                       {"new_w", "new_s", "new_u"}, R"(
  float gradient = g[i] + *decay * w[i];
  float square = *rho * s[i] + (1.0f - *rho) * (gradient * gradient);
  float step = sqrt(u[i] + *epsilon) / sqrt(square + *epsilon) * gradient;
  new_w[i] = w[i] - *rate * step;
  new_u[i] = *rho * u[i] + (1.0f - *rho) * (step * step);
  new_s[i] = square;
)");
}

struct Adadelta : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    list.need_exact_division();
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(source(), "adadelta", n,
                  {in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7), out(0), out(1), out(2), n});
  }
};

}  // namespace

void register_adadelta(abi::KernelTable& kernels) { add_kernel<Adadelta>(kernels, "adadelta"); }

}  // namespace cutset::portable
