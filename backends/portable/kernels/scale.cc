// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "ir/structural/scale/scale_attrs.h"

namespace cutset::portable {
namespace {

struct Scale : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(
        "KERNEL(scale)(TENSOR(const float, x), TENSOR(float, y), float factor, int n) { BIND(const float, "
        "x); BIND(float, y); int i = ITEM; if (i < n) y[i] = x[i] * factor; }",
        "scale", n, {in(0), out(0), static_cast<float>(p.attributes<ScaleAttrs>().factor), n});
  }
};

}  // namespace

void register_scale(abi::KernelTable& kernels) { add_kernel<Scale>(kernels, "scale"); }

}  // namespace cutset::portable
