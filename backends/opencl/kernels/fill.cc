#include "backends/opencl/launch.h"
#include "ir/structural/fill/fill_attrs.h"

namespace cutset::opencl {
namespace {

struct Fill {
  static std::string supports(const abi::Problem& p) {
    return c_type(p.out_type(0)) ? "" : std::string("no kernel for ") + name_of(p.out_type(0));
  }
  static void build(Launches& list, const abi::Problem& p, const abi::Operands* at) {
    const int64_t n = elements(p.out_shape(0));
    const std::string type = c_type(p.out_type(0));
    const float value = static_cast<float>(p.attributes<FillAttrs>().value);
    list.add("__kernel void fill(__global " + type +
                 "* y, float value, int n) { int i = get_global_id(0); if (i < n) y[i] = (" + type + ")value; }",
             "fill", {n}, {out(at, 0), value, n}, kFlat);
  }
};

}  // namespace

void register_fill(abi::KernelTable& kernels) { kernels.add<LaunchKernel<Fill>>("fill", "fill.opencl"); }

}  // namespace cutset::opencl
