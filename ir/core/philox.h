// SPDX-License-Identifier: Apache-2.0
// Draws counter-based random numbers. A number is a pure function of a key and a counter, so it is the same
// on every device and does not depend on how a tensor is split.
//
// The generator is Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC'11), as
// implemented by the authors' library Random123. Its header takes half a second to compile, so only philox.cc
// includes it.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

namespace cutset {

// Returns four random words: block `block` of stream `stream` under the key `seed`.
std::array<uint32_t, 4> philox(uint64_t seed, uint64_t stream, uint64_t block);

// Returns the seed for the numbers of step `step`. For step 0 it is `seed` itself. The step is mixed by the
// finalizer of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
// 2014). The mixing is a bijection of 64-bit numbers, so different steps of one seed have different seeds.
inline uint64_t seed_of_step(uint64_t seed, uint64_t step) {
  step = (step ^ step >> 30) * 0xbf58476d1ce4e5b9u;
  step = (step ^ step >> 27) * 0x94d049bb133111ebu;
  return seed ^ step ^ step >> 31;
}

// Returns a number in [0, 1), a multiple of 2^-24, which f32 represents exactly.
inline float unit_float(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

// Draws the numbers of one stream in sequence, for tests and samplers. Make at most one call per expression:
// the compiler chooses the order of two calls in an expression, and so the numbers that they return.
class PhiloxSequence {
 public:
  explicit PhiloxSequence(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}
  uint32_t next() {
    if (at_ % 4 == 0) words_ = philox(seed_, stream_, at_ / 4);
    return words_[at_++ % 4];
  }
  // Returns an integer in [0, n): the upper half of a 128-bit product. The bias is below n / 2^64.
  uint64_t below(uint64_t n) {
    const uint64_t high = next(), low = next(), word = high << 32 | low;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * n) >> 64);
  }
  // Returns a number in [0, 1), a multiple of 2^-53.
  double unit() {
    const uint64_t high = next(), low = next();
    return static_cast<double>((high << 21) ^ (low >> 11)) * 0x1p-53;
  }
  // Returns a number from the normal distribution with mean 0 and standard deviation 1 (Box and Muller,
  // 1958).
  double normal() {
    const double u = 1 - unit(), v = unit();
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

 private:
  uint64_t seed_, stream_, at_ = 0;
  std::array<uint32_t, 4> words_{};
};

}  // namespace cutset
