// Counter-based random numbers: a pure function of (key, counter), the same on every device and
// under any split. Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
// (SC'11), by way of the authors' library Random123.
#pragma once
#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace cutset {

// Four words for block `block` of stream `stream` under `seed`.
inline std::array<uint32_t, 4> philox(uint64_t seed, uint64_t stream, uint64_t block) {
  r123::Philox4x32::ctr_type counter = {{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                                         static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)}};
  r123::Philox4x32::key_type key = {{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}};
  auto r = r123::Philox4x32()(counter, key);
  return {r[0], r[1], r[2], r[3]};
}

// The seed from which the numbers of step `step` are drawn: `seed` itself for step 0, and one that shares nothing
// with it for every other. Both directions of the mixing are one to one (the finalizer of splitmix64: Steele, Lea
// and Flood, 2014), so two steps never have the same numbers.
inline uint64_t seed_of_step(uint64_t seed, uint64_t step) {
  step = (step ^ step >> 30) * 0xbf58476d1ce4e5b9u;
  step = (step ^ step >> 27) * 0x94d049bb133111ebu;
  return seed ^ step ^ step >> 31;
}

// [0, 1) in steps of 2^-24, exact in f32.
inline float unit_float(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

// A sequence over one stream, for data that tests and samplers draw one by one. Each draw is a statement of its own:
// within one expression the order of two calls would be the compiler's choice.
class PhiloxSequence {
 public:
  explicit PhiloxSequence(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}
  uint32_t next() {
    if (at_ % 4 == 0) words_ = philox(seed_, stream_, at_ / 4);
    return words_[at_++ % 4];
  }
  uint64_t below(uint64_t n) {  // in [0, n), by multiplication of 64 bits; bias below n / 2^64
    const uint64_t high = next(), low = next(), word = high << 32 | low;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * n) >> 64);
  }
  double unit() {
    const uint64_t high = next(), low = next();
    return static_cast<double>((high << 21) ^ (low >> 11)) * 0x1p-53;
  }
  double normal() {
    const double u = 1 - unit(), v = unit();
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

 private:
  uint64_t seed_, stream_, at_ = 0;
  std::array<uint32_t, 4> words_{};
};

}  // namespace cutset
