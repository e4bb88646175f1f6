#include "backends/opencl/launch.h"

namespace cutset::opencl {
namespace {

struct Cast {
  static std::string supports(const abi::Problem& p) {
    return only(p, {DType::f32, DType::i32, DType::i64, DType::u8, DType::i1});
  }
  static std::string expression(DType from, DType to) {
    if (to == DType::i1) return "x[i] != 0";
    if (is_float(from) && !is_float(to))
      return std::string("convert_") + c_type(to) + "_sat_rtz(x[i])";  // NaN becomes 0
    return std::string("(") + c_type(to) + ")x[i]";
  }
  static void build(Launches& list, const abi::Problem& p, const abi::Operands* at) {
    const DType from = p.in_type(0), to = p.out_type(0);
    const int64_t n = elements(p.out_shape(0));
    list.add(std::string("__kernel void cast(__global const ") + c_type(from) + "* x, __global " + c_type(to) +
                 "* y, int n) { int i = get_global_id(0); if (i < n) y[i] = " + expression(from, to) + "; }",
             "cast", {n}, {in(at, 0), out(at, 0), n}, kFlat);
  }
};

}  // namespace

void register_cast(abi::KernelTable& kernels) { kernels.add<LaunchKernel<Cast>>("cast", "cast.opencl"); }

}  // namespace cutset::opencl
