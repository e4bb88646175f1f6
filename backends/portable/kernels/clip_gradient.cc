// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "backends/portable/update_source.h"

namespace cutset::portable {
namespace {

struct ClipGradient : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(update_source("clip_gradient", {"g", "limit"}, {"y"}, R"(
  float l = *limit;
  y[i] = g[i] > l || l != l ? l : g[i] < -l ? -l : g[i];
)"),
                  "clip_gradient", n, {in(0), in(1), out(0), n});
  }
};
struct ScaleGradient : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(update_source("scale_gradient", {"g", "factor"}, {"y"}, "  y[i] = g[i] * *factor;\n"),
                  "scale_gradient", n, {in(0), in(1), out(0), n});
  }
};

}  // namespace

void register_clip_gradient(abi::KernelTable& kernels) {
  add_kernel<ClipGradient>(kernels, "clip_gradient");
  add_kernel<ScaleGradient>(kernels, "scale_gradient");
}

}  // namespace cutset::portable
