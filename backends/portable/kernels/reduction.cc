#include "backends/portable/reduce.h"
#include "ir/ops/reduction/reduction_attrs.h"

namespace cutset::portable {
namespace {

template <Reduction kWhat>
struct Reduce {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    add_reduction(list, kWhat, *reduction_shape(p.in_shape(0), p.attributes<ReductionAttrs>().axes), in(0), out(0));
  }
};

}  // namespace

void register_reduction(abi::KernelTable& kernels) {
  add_kernel<Reduce<Reduction::kSum>>(kernels, "reduce_sum");
  add_kernel<Reduce<Reduction::kMax>>(kernels, "reduce_max");
}

}  // namespace cutset::portable
