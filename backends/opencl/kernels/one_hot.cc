#include "backends/opencl/launch.h"
#include "ir/ops/one_hot/one_hot_attrs.h"

namespace cutset::opencl {
namespace {

struct OneHot {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::i32, DType::i64, DType::f32}); }
  static void build(Launches& list, const abi::Problem& p, const abi::Operands* at) {
    list.add(std::string("__kernel void one_hot(__global const ") + c_type(p.in_type(0)) +
                 "* labels, __global float* y, int depth) { int i = get_global_id(0); for (int j = 0; j < depth; j++) "
                 "y[i * depth + j] = j == labels[i]; }",
             "one_hot", {elements(p.in_shape(0))}, {in(at, 0), out(at, 0), p.attributes<OneHotAttrs>().depth});
  }
};

}  // namespace

void register_one_hot(abi::KernelTable& kernels) { kernels.add<LaunchKernel<OneHot>>("one_hot", "one_hot.opencl"); }

}  // namespace cutset::opencl
