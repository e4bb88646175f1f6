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
  static void build(Launches& list, const abi::Problem& p) {
    const DType from = p.in_type(0), to = p.out_type(0);
    const int64_t n = elements(p.out_shape(0));
    list.add(
        std::string("#define FROM ") + c_type(from) + "\n#define TO " + c_type(to) +
            "\n__kernel void cast(TENSOR(const FROM, x), TENSOR(TO, y), int n) { BIND(const FROM, x); BIND(TO, y); "
            "int i = get_global_id(0); if (i < n) y[i] = " +
            expression(from, to) + "; }",
        "cast", {n}, {in(0), out(0), n}, kFlat);
  }
};

}  // namespace

void register_cast(abi::KernelTable& kernels) { kernels.add<LaunchKernel<Cast>>("cast", "cast.opencl"); }

}  // namespace cutset::opencl
