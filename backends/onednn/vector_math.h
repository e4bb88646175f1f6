// SPDX-License-Identifier: Apache-2.0
// Exponential and error functions of one float. They have no branches and call no library, so the compiler
// turns a loop that calls them into vector instructions.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cutset::onednn {

// Returns e^x. The relative error is below 1e-6 where e^x is a normal number. The result is 0 for x below
// -104 and infinity for x above 88.8. NaN stays NaN.
//
// The method is x = n ln 2 + r with |r| <= ln 2 / 2. The Taylor polynomial of degree 7 gives e^r with a
// remainder below 6e-9. Adding 1.5 * 2^23 rounds to an integer, which the low bits of the sum hold. The
// factor 2^n is split into two factors, because e^x may be smaller or larger than all powers of 2 that are
// normal numbers.
inline float fast_exp(float x) {
  constexpr float kShift = 12582912.0f, kHigh = 0.693145751953125f, kLow = 1.428606820309417e-6f;
  constexpr float kLowest = -104.0f, kHighest = 88.8f;
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
  const int32_t power = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kShift), half = power >> 1;
  const auto power_of_2 = [](int32_t exponent) {
    return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
  };
  const float y = p * power_of_2(half) * power_of_2(power - half);
  return x < kLowest ? 0.0f : x > kHighest ? std::numeric_limits<float>::infinity() : y;
}

inline float fast_sigmoid(float x) { return 1 / (1 + fast_exp(-x)); }

// Returns tanh(x) as (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x. Near 0, where the difference cancels,
// it is the Taylor polynomial of degree 9, whose relative error is below 1e-8 there.
inline float fast_tanh(float x) {
  const float e = fast_exp(-2 * std::fabs(x)), s = x * x;
  float p = 62.0f / 2835;
  p = p * s - 17.0f / 315;
  p = p * s + 2.0f / 15;
  p = p * s - 1.0f / 3;
  const float near = x + x * s * p, far = std::copysign((1 - e) / (1 + e), x);
  return s < 0.0625f ? near : far;
}

// Returns erfc(z) for z >= 0, where `square` is z^2. The relative error is below 1e-6 up to z = 2, and below
// 1e-5 above, because the exponent is rounded. The result is 0 if it would be below 1e-45. The form t
// exp(q(t) - z^2) with t = 1 / (1 + z / 2) is from Press et al., "Numerical Recipes in C", 2nd edition,
// section 6.2. The polynomial q of degree 9 interpolates the logarithm at Chebyshev points, with an error
// below 5e-8.
inline float fast_erfc(float z, float square) {
  const float t = 1 / (1 + 0.5f * z);
  float q = 0.14050713466f;
  q = q * t - 0.65661583593f;
  q = q * t + 1.09943847476f;
  q = q * t - 0.61952334619f;
  q = q * t - 0.14417349103f;
  q = q * t + 0.03546785616f;
  q = q * t + 0.02287414548f;
  q = q * t + 0.38911714614f;
  q = q * t + 0.99834144900f;
  q = q * t - 1.26543348925f;
  return t * fast_exp(q - square);
}

// Returns the error function. Near 0, where 1 - erfc cancels, it is x times the polynomial of degree 4 in x^2
// that interpolates erf(x) / x at Chebyshev points; its relative error is below 2e-9.
inline float fast_erf(float x) {
  const float s = x * x;
  float p = 0.00471950535f;
  p = p * s - 0.02675794433f;
  p = p * s + 0.11282834739f;
  p = p * s - 0.37612609173f;
  p = p * s + 1.12837916561f;
  const float far = std::copysign(1 - fast_erfc(std::fabs(x), s), x);
  return s < 0.25f ? x * p : far;
}

// Returns the distribution function of the standard normal distribution at x.
inline float fast_normal_distribution(float x) {
  const float e = 0.5f * fast_erfc(std::fabs(x) * 0.70710678118f, 0.5f * x * x);
  return x < 0 ? e : 1 - e;
}

}  // namespace cutset::onednn
