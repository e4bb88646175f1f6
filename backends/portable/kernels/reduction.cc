// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/reduce.h"
#include "ir/ops/reduction/reduction_attrs.h"

namespace cutset::portable {
namespace {

template <class A, Reduction kWhat>
struct Reduce {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    add_reduction(list, kWhat, *reduction_shape(p.in_shape(0), p.attributes<A>().axes), in(0), out(0),
                  p.in_type(0));
  }
};

}  // namespace

void register_reduction(abi::KernelTable& kernels) {
  add_kernel<Reduce<ReductionAttrs, Reduction::kSum>>(kernels, "reduce_sum");
  add_kernel<Reduce<ReductionAttrs, Reduction::kProduct>>(kernels, "reduce_prod");
  add_kernel<Reduce<ExtremumAttrs, Reduction::kMax>>(kernels, "reduce_max");
  add_kernel<Reduce<ExtremumAttrs, Reduction::kMin>>(kernels, "reduce_min");
}

}  // namespace cutset::portable
