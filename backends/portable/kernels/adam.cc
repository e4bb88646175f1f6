// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "backends/portable/update_source.h"
#include "ir/ops/adam/adam_attrs.h"

namespace cutset::portable {
namespace {

std::string source(bool decoupled) {
  return update_source(
      "adam", {"w", "m", "v", "a", "b", "g", "rate", "beta1", "beta2", "epsilon", "decay"},
      {"new_w", "new_m", "new_v"},
      R"(
  float p = 1.0f - *beta1, q = 1.0f - *beta2;
  float new_a = *beta1 * *a + p, new_b = *beta2 * *b + q;
)" +
          std::string(decoupled ? "  float gradient = g[i], rest = w[i] - *rate * *decay * w[i];\n"
                                : "  float gradient = g[i] + *decay * w[i], rest = w[i];\n") +
          R"(
  float first = *beta1 * m[i] + p * gradient;
  float second = *beta2 * v[i] + q * (gradient * gradient);
  new_w[i] = rest - *rate / new_a * (first / (sqrt(second) / sqrt(new_b) + *epsilon));
  new_m[i] = first;
  new_v[i] = second;
)");
}

// The weights are updated last, because every work-item of the first kernel reads them.
std::string weights_source() {
  return update_source("adam_weights", {"a", "b", "beta1", "beta2"}, {"new_a", "new_b"}, R"(
  *new_a = *beta1 * *a + (1.0f - *beta1);
  *new_b = *beta2 * *b + (1.0f - *beta2);
)");
}

struct Adam : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    list.need_exact_division();
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(source(p.attributes<AdamAttrs>().decoupled), "adam", n,
                  {in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7), in(8), in(9), in(10), out(0),
                   out(1), out(2), n});
    list.add_flat(weights_source(), "adam_weights", 1,
                  {in(3), in(4), in(7), in(8), out(3), out(4), int64_t{1}});
  }
};

}  // namespace

void register_adam(abi::KernelTable& kernels) { add_kernel<Adam>(kernels, "adam"); }

}  // namespace cutset::portable
