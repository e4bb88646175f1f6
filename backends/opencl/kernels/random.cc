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
    uint h0 = mul_hi(0xD2511F53u, c.s0), l0 = 0xD2511F53u * c.s0,
         h1 = mul_hi(0xCD9E8D57u, c.s2), l1 = 0xCD9E8D57u * c.s2;
    c = (uint4)(h1 ^ c.s1 ^ k.s0, l1, h0 ^ c.s3 ^ k.s1, l0);
    k += (uint2)(0x9E3779B9u, 0xBB67AE85u);
  }
  return c;
}
float unit(uint word) { return (float)(word >> 8) * 0x1p-24f; }
ulong seed_of_step(ulong seed, ulong step) {
  step = (step ^ step >> 30) * 0xbf58476d1ce4e5b9UL;
  step = (step ^ step >> 27) * 0x94d049bb133111ebUL;
  return seed ^ step ^ step >> 31;
}
// A work-item draws the elements of one block of words. The result holds the elements from `first` to
// `first + n - 1` of the whole tensor.
__kernel void uniform(TENSOR(const long, step), TENSOR(float, y), int n, ulong first, ulong seed, ulong stream,
                      float low, float width) {
  BIND(const long, step); BIND(float, y);
  ulong block = first / 4 + get_global_id(0);
  uint4 w = philox(seed_of_step(seed, *step), stream, block);
  uint words[4] = {w.s0, w.s1, w.s2, w.s3};
  for (int j = 0; j < 4; j++) {
    long i = (long)(4 * block + j) - (long)first;
    float scaled = width * unit(words[j]);
    if (i >= 0 && i < n) y[i] = low + scaled;
  }
}
__kernel void normal(TENSOR(const long, step), TENSOR(float, y), int n, ulong first, ulong seed, ulong stream,
                     float mean, float stddev) {
  BIND(const long, step); BIND(float, y);
  ulong block = first / 2 + get_global_id(0);
  uint4 w = philox(seed_of_step(seed, *step), stream, block);
  uint words[4] = {w.s0, w.s1, w.s2, w.s3};
  for (int j = 0; j < 2; j++) {
    long i = (long)(2 * block + j) - (long)first;
    float z = sqrt(-2 * log(1 - unit(words[2 * j]))) * cos(6.28318530717958647692f * unit(words[2 * j + 1]));
    if (i >= 0 && i < n) y[i] = mean + stddev * z;
  }
}
)";

using Wide = Launches::Argument::Wide;

// Only results of f32 are supported. The operand `step`, of i64, is read on the device.
std::string only_f32(const abi::Problem& p) {
  return p.out_type(0) == DType::f32 ? "" : std::string("no kernel for ") + name_of(p.out_type(0));
}
// The number of blocks of `each` elements that contain the elements from `first` to `first + n - 1`.
int64_t blocks(int64_t first, int64_t n, int64_t each) {
  return n == 0 ? 0 : (first + n - 1) / each - first / each + 1;
}
Wide wide(int64_t v) { return {static_cast<cl_ulong>(v)}; }

struct Uniform {
  static std::string supports(const abi::Problem& p) { return only_f32(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<RandomUniformAttrs>();
    const int64_t n = elements(p.out_shape(0));
    list.add(kSource, "uniform", {blocks(a.first_element, n, 4)},
             {in(1), out(0), n, wide(a.first_element), wide(a.seed), wide(a.stream), static_cast<float>(a.low),
              static_cast<float>(a.high - a.low)});
  }
};
struct Normal {
  static std::string supports(const abi::Problem& p) { return only_f32(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<RandomNormalAttrs>();
    const int64_t n = elements(p.out_shape(0));
    list.add(kSource, "normal", {blocks(a.first_element, n, 2)},
             {in(1), out(0), n, wide(a.first_element), wide(a.seed), wide(a.stream), static_cast<float>(a.mean),
              static_cast<float>(a.stddev)});
  }
};

}  // namespace

void register_random(abi::KernelTable& kernels) {
  kernels.add<LaunchKernel<Uniform>>("random_uniform", "random_uniform.opencl");
  kernels.add<LaunchKernel<Normal>>("random_normal", "random_normal.opencl");
}

}  // namespace cutset::opencl
