// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "backends/portable/update_source.h"
#include "ir/ops/decayed_sgd/decayed_sgd_attrs.h"

namespace cutset::portable {
namespace {

std::string source(bool nesterov) {
  return update_source(
      "decayed_sgd", {"w", "v", "started", "g", "rate", "momentum", "dampening", "decay"}, {"new_w", "new_v"},
      R"(
  float gradient = g[i] + *decay * w[i];
  float velocity = *momentum * v[i] + (1.0f - *dampening * *started) * gradient;
)" +
          std::string(nesterov ? "  new_w[i] = w[i] - *rate * (gradient + *momentum * velocity);\n"
                               : "  new_w[i] = w[i] - *rate * velocity;\n") +
          "  new_v[i] = velocity;\n");
}

// This kernel runs last, because every work-item of the first kernel reads the element that it sets.
std::string start_source() {
  return update_source("decayed_sgd_start", {}, {"new_started"}, "  *new_started = 1.0f;\n");
}

struct DecayedSgd : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(source(p.attributes<DecayedSgdAttrs>().nesterov), "decayed_sgd", n,
                  {in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7), out(0), out(1), n});
    list.add_flat(start_source(), "decayed_sgd_start", 1, {out(2), int64_t{1}});
  }
};

}  // namespace

void register_decayed_sgd(abi::KernelTable& kernels) { add_kernel<DecayedSgd>(kernels, "decayed_sgd"); }

}  // namespace cutset::portable
