// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "backends/portable/update_source.h"

namespace cutset::portable {
namespace {

std::string source() {
  return update_source("adagrad", {"w", "s", "steps", "g", "rate", "rate_decay", "epsilon", "decay"},
                       {"new_w", "new_s"}, R"(
  float gradient = g[i] + *decay * w[i];
  float sum = s[i] + gradient * gradient;
  new_w[i] = w[i] - *rate / (1.0f + *steps * *rate_decay) * (gradient / (sqrt(sum) + *epsilon));
  new_s[i] = sum;
)");
}

// The number of steps is updated last, because every work-item of the first kernel reads it.
std::string count_source() {
  return update_source("adagrad_count", {"steps"}, {"new_steps"}, "  *new_steps = *steps + 1.0f;\n");
}

struct Adagrad : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    list.need_exact_division();
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(source(), "adagrad", n,
                  {in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7), out(0), out(1), n});
    list.add_flat(count_source(), "adagrad_count", 1, {in(2), out(2), int64_t{1}});
  }
};

}  // namespace

void register_adagrad(abi::KernelTable& kernels) { add_kernel<Adagrad>(kernels, "adagrad"); }

}  // namespace cutset::portable
