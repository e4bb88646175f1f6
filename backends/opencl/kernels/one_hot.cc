#include "backends/opencl/launch.h"
#include "ir/ops/one_hot/one_hot_attrs.h"

namespace cutset::opencl {
namespace {

struct OneHot {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::i32, DType::i64, DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    list.add(std::string("#define LABEL ") + c_type(p.in_type(0)) +
                 "\n__kernel void one_hot(TENSOR(const LABEL, labels), TENSOR(float, y), int depth) { "
                 "BIND(const LABEL, labels); BIND(float, y); int i = get_global_id(0); "
                 "for (int j = 0; j < depth; j++) y[i * depth + j] = j == labels[i]; }",
             "one_hot", {elements(p.in_shape(0))}, {in(0), out(0), p.attributes<OneHotAttrs>().depth});
  }
};

}  // namespace

void register_one_hot(abi::KernelTable& kernels) { kernels.add<LaunchKernel<OneHot>>("one_hot", "one_hot.opencl"); }

}  // namespace cutset::opencl
