#include "backends/opencl/launch.h"
#include "ir/structural/scale/scale_attrs.h"

namespace cutset::opencl {
namespace {

struct Scale {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    list.add(
        "__kernel void scale(TENSOR(const float, x), TENSOR(float, y), float factor, int n) { BIND(const float, x); "
        "BIND(float, y); int i = get_global_id(0); if (i < n) y[i] = x[i] * factor; }",
        "scale", {n}, {in(0), out(0), static_cast<float>(p.attributes<ScaleAttrs>().factor), n}, kFlat);
  }
};

}  // namespace

void register_scale(abi::KernelTable& kernels) { kernels.add<LaunchKernel<Scale>>("scale", "scale.opencl"); }

}  // namespace cutset::opencl
