#include "backends/opencl/gather.h"
#include "ir/ops/reduction/reduction_attrs.h"

namespace cutset::opencl {
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
  kernels.add<LaunchKernel<Reduce<Reduction::kSum>>>("reduce_sum", "reduce_sum.opencl");
  kernels.add<LaunchKernel<Reduce<Reduction::kMax>>>("reduce_max", "reduce_max.opencl");
}

}  // namespace cutset::opencl
