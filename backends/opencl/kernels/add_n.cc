#include "backends/opencl/launch.h"

namespace cutset::opencl {
namespace {

const char* kSource = R"(
__kernel void copy(TENSOR(const float, x), TENSOR(float, y), int n) {
  BIND(const float, x); BIND(float, y);
  int i = get_global_id(0);
  if (i < n) y[i] = x[i];
}
__kernel void plus(TENSOR(const float, x), TENSOR(float, y), int n) {
  BIND(const float, x); BIND(float, y);
  int i = get_global_id(0);
  if (i < n) y[i] += x[i];
}
)";

// One launch per value, in the order of the values.
struct AddN {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    for (size_t i = 0; i < p.inputs(); ++i) list.add(kSource, i ? "plus" : "copy", {n}, {in(i), out(0), n}, kFlat);
  }
};

}  // namespace

void register_add_n(abi::KernelTable& kernels) { kernels.add<LaunchKernel<AddN>>("add_n", "add_n.opencl"); }

}  // namespace cutset::opencl
