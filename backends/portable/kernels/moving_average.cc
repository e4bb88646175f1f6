// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "backends/portable/update_source.h"

namespace cutset::portable {
namespace {

struct MovingAverage : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(update_source("moving_average", {"average", "value", "decay"}, {"y"},
                                "  y[i] = *decay * average[i] + (1.0f - *decay) * value[i];\n"),
                  "moving_average", n, {in(0), in(1), in(2), out(0), n});
  }
};

}  // namespace

void register_moving_average(abi::KernelTable& kernels) {
  add_kernel<MovingAverage>(kernels, "moving_average");
}

}  // namespace cutset::portable
