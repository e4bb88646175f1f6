#include "backends/opencl/launch.h"

namespace cutset::opencl {
namespace {

// Each operation is rounded on its own, as in the reference kernel, so that the copies of a variable on devices of
// different kinds stay bitwise equal.
const char* kSource = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel void sgd(__global const float* w, __global const float* v, __global const float* g,
                  __global const float* rate, __global const float* momentum, __global float* nw, __global float* nv,
                  int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float step = *momentum * v[i] + g[i];
  nw[i] = w[i] - *rate * step;
  nv[i] = step;
}
)";

struct Sgd {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p, const abi::Operands* at) {
    const int64_t n = elements(p.out_shape(0));
    list.add(kSource, "sgd", {n}, {in(at, 0), in(at, 1), in(at, 2), in(at, 3), in(at, 4), out(at, 0), out(at, 1), n},
             kFlat);
  }
};

}  // namespace

void register_sgd(abi::KernelTable& kernels) { kernels.add<LaunchKernel<Sgd>>("sgd", "sgd.opencl"); }

}  // namespace cutset::opencl
