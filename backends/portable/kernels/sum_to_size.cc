// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/reduce.h"
#include "ir/structural/sum_to_size/sum_to_shape.h"

namespace cutset::portable {
namespace {

struct SumToSize : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    add_reduction(list, Reduction::kSum, sum_to_shape(p.in_shape(0), p.in_shape(1)), in(0), out(0));
  }
};

}  // namespace

void register_sum_to_size(abi::KernelTable& kernels) { add_kernel<SumToSize>(kernels, "sum_to_size"); }

}  // namespace cutset::portable
