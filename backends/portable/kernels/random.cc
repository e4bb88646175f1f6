// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/launches.h"
#include "ir/ops/random/random_attrs.h"

namespace cutset::portable {
namespace {

// Philox4x32-10 with the constants of Salmon et al. (SC'11), table 2.
const char* kSource = R"(
typedef struct { uint at[4]; } Words;
FUNCTION Words philox(ulong seed, ulong stream, ulong block) {
  Words c = {{(uint)block, (uint)(block >> 32), (uint)stream, (uint)(stream >> 32)}};
  uint k0 = (uint)seed, k1 = (uint)(seed >> 32);
  for (int r = 0; r < 10; r++) {
    ulong p0 = (ulong)0xD2511F53u * c.at[0], p1 = (ulong)0xCD9E8D57u * c.at[2];
    Words next = {{(uint)(p1 >> 32) ^ c.at[1] ^ k0, (uint)p1, (uint)(p0 >> 32) ^ c.at[3] ^ k1, (uint)p0}};
    c = next;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  return c;
}
FUNCTION float unit(uint word) { return (float)(word >> 8) * 0x1p-24f; }
FUNCTION ulong seed_of_step(ulong seed, ulong step) {
  step = (step ^ step >> 30) * 0xbf58476d1ce4e5b9UL;
  step = (step ^ step >> 27) * 0x94d049bb133111ebUL;
  return seed ^ step ^ step >> 31;
}
// A work-item draws the elements of one block of words. The result holds the elements from `first` to
// `first + n - 1` of the whole tensor.
KERNEL(uniform)(TENSOR(const long, step), TENSOR(float, y), int n, ulong first, ulong seed, ulong stream,
                      float low, float width) {
  BIND(const long, step); BIND(float, y);
  ulong block = first / 4 + ITEM;
  Words words = philox(seed_of_step(seed, *step), stream, block);
  for (int j = 0; j < 4; j++) {
    long i = (long)(4 * block + j) - (long)first;
    float scaled = width * unit(words.at[j]);
    if (i >= 0 && i < n) y[i] = low + scaled;
  }
}
KERNEL(normal)(TENSOR(const long, step), TENSOR(float, y), int n, ulong first, ulong seed, ulong stream,
                     float mean, float stddev) {
  BIND(const long, step); BIND(float, y);
  ulong block = first / 2 + ITEM;
  Words words = philox(seed_of_step(seed, *step), stream, block);
  for (int j = 0; j < 2; j++) {
    long i = (long)(2 * block + j) - (long)first;
    float z = sqrt(-2.0f * log(1 - unit(words.at[2 * j]))) * cospi(2.0f * unit(words.at[2 * j + 1]));
    if (i >= 0 && i < n) y[i] = mean + stddev * z;
  }
}
)";

using Wide = Argument::Wide;

// Refuses results of another type than f32. The operand `step`, of i64, is read on the device.
std::string only_f32(const abi::Problem& p) {
  return p.out_type(0) == DType::f32 ? "" : std::string("no kernel for ") + name_of(p.out_type(0));
}
// Returns the number of blocks of `each` elements that contain the elements from `first` to `first + n - 1`.
int64_t blocks(int64_t first, int64_t n, int64_t each) {
  return n == 0 ? 0 : (first + n - 1) / each - first / each + 1;
}
Wide wide(int64_t v) { return {static_cast<uint64_t>(v)}; }

struct Uniform {
  static std::string supports(const abi::Problem& p) { return only_f32(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<RandomUniformAttrs>();
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(kSource, "uniform", blocks(a.first_element, n, 4),
                  {in(1), out(0), n, wide(a.first_element), wide(a.seed), wide(a.stream),
                   static_cast<float>(a.low), static_cast<float>(a.high - a.low)});
  }
};
struct Normal {
  static std::string supports(const abi::Problem& p) { return only_f32(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<RandomNormalAttrs>();
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(kSource, "normal", blocks(a.first_element, n, 2),
                  {in(1), out(0), n, wide(a.first_element), wide(a.seed), wide(a.stream),
                   static_cast<float>(a.mean), static_cast<float>(a.stddev)});
  }
};

}  // namespace

void register_random(abi::KernelTable& kernels) {
  add_kernel<Uniform>(kernels, "random_uniform");
  add_kernel<Normal>(kernels, "random_normal");
}

}  // namespace cutset::portable
