#include "backends/opencl/launch.h"
#include "ir/ops/random/random_attrs.h"

namespace cutset::opencl {
namespace {

// Philox4x32-10 with the constants of Salmon et al. (SC'11), table 2.
const char* kSource = R"(
#pragma OPENCL FP_CONTRACT OFF
uint4 philox(ulong seed, ulong stream, ulong block) {
  uint4 c = (uint4)((uint)block, (uint)(block >> 32), (uint)stream, (uint)(stream >> 32));
  uint2 k = (uint2)((uint)seed, (uint)(seed >> 32));
  for (int r = 0; r < 10; r++) {
    uint h0 = mul_hi(0xD2511F53u, c.s0), l0 = 0xD2511F53u * c.s0, h1 = mul_hi(0xCD9E8D57u, c.s2), l1 = 0xCD9E8D57u * c.s2;
    c = (uint4)(h1 ^ c.s1 ^ k.s0, l1, h0 ^ c.s3 ^ k.s1, l0);
    k += (uint2)(0x9E3779B9u, 0xBB67AE85u);
  }
  return c;
}
float unit(uint word) { return (float)(word >> 8) * 0x1p-24f; }
__kernel void uniform(__global float* y, int n, ulong seed, ulong stream, float low, float width) {
  int b = get_global_id(0);
  uint4 w = philox(seed, stream, b);
  uint words[4] = {w.s0, w.s1, w.s2, w.s3};
  for (int j = 0; j < 4 && 4 * b + j < n; j++) { float scaled = width * unit(words[j]); y[4 * b + j] = low + scaled; }
}
__kernel void normal(__global float* y, int n, ulong seed, ulong stream, float mean, float deviation) {
  int b = get_global_id(0);
  uint4 w = philox(seed, stream, b);
  uint words[4] = {w.s0, w.s1, w.s2, w.s3};
  for (int j = 0; j < 2 && 2 * b + j < n; j++) {
    float z = sqrt(-2 * log(1 - unit(words[2 * j]))) * cos(6.28318530717958647692f * unit(words[2 * j + 1]));
    y[2 * b + j] = mean + deviation * z;
  }
}
)";

using Wide = Launches::Argument::Wide;

struct Uniform {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p, const abi::Operands* at) {
    const auto& a = p.attributes<RandomUniformAttrs>();
    const int64_t n = elements(p.out_shape(0));
    list.add(kSource, "uniform", {(n + 3) / 4},
             {out(at, 0), n, Wide{static_cast<cl_ulong>(a.seed)}, Wide{static_cast<cl_ulong>(a.stream)},
              static_cast<float>(a.low), static_cast<float>(a.high - a.low)});
  }
};
struct Normal {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p, const abi::Operands* at) {
    const auto& a = p.attributes<RandomNormalAttrs>();
    const int64_t n = elements(p.out_shape(0));
    list.add(kSource, "normal", {(n + 1) / 2},
             {out(at, 0), n, Wide{static_cast<cl_ulong>(a.seed)}, Wide{static_cast<cl_ulong>(a.stream)},
              static_cast<float>(a.mean), static_cast<float>(a.deviation)});
  }
};

}  // namespace

void register_random(abi::KernelTable& kernels) {
  kernels.add<LaunchKernel<Uniform>>("random_uniform", "random_uniform.opencl");
  kernels.add<LaunchKernel<Normal>>("random_normal", "random_normal.opencl");
}

}  // namespace cutset::opencl
