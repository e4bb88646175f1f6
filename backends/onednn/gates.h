// Sigmoid and tanh of many floats at once, for the kernels of recurrent ops. The functions have no branches and call no library, so
// the compiler turns a loop that calls them into vector instructions.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cutset::onednn {

// Compiles a function for several instruction sets, of which the processor's best one is chosen when the library is loaded. This
// choice would run before ThreadSanitizer has started, so there is none in its builds.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CUTSET_FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CUTSET_FOR_EACH_PROCESSOR
#endif

// e^x with a relative error below 1e-6, 0 for x below -87, and infinity for x above 88. NaN stays NaN. x = n ln 2 + r with |r| <= ln 2 / 2,
// and e^r is its Taylor polynomial of degree 7, whose remainder is below 6e-9. Adding 1.5 * 2^23 rounds to an integer, which the low
// bits of the sum hold.
inline float exp_of(float x) {
  constexpr float kShift = 12582912.0f, kHigh = 0.693145751953125f, kLow = 1.428606820309417e-6f;
  constexpr float kLowest = -87.0f, kHighest = 88.0f;
  const float shifted = x * 1.44269504088896341f + kShift, n = shifted - kShift;
  const float r = (x - n * kHigh) - n * kLow;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const uint32_t exponent = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(kShift) + 127;
  const float y = p * std::bit_cast<float>(exponent << 23);
  return x < kLowest ? 0.0f : x > kHighest ? std::numeric_limits<float>::infinity() : y;
}

inline float fast_sigmoid(float x) { return 1 / (1 + exp_of(-x)); }

// (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x, and near 0, where the difference cancels, the Taylor polynomial of degree 9, whose relative error is
// below 1e-8 there.
inline float fast_tanh(float x) {
  const float e = exp_of(-2 * std::fabs(x)), s = x * x;
  float p = 62.0f / 2835;
  p = p * s - 17.0f / 315;
  p = p * s + 2.0f / 15;
  p = p * s - 1.0f / 3;
  const float near = x + x * s * p, far = std::copysign((1 - e) / (1 + e), x);
  return s < 0.0625f ? near : far;
}

}  // namespace cutset::onednn
