// SPDX-License-Identifier: Apache-2.0
// Tests the conversions of f16 and bf16 on every number of 16 bits, at the limits of rounding between them,
// and on numbers that f32 does not have.
#include "ir/core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cutset {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr DType kTypes[] = {DType::f16, DType::bf16};

int fraction_bits(DType type) { return type == DType::f16 ? 10 : 7; }
uint16_t infinity(DType type) { return type == DType::f16 ? 0x7c00 : 0x7f80; }
// Returns the value of positive, finite bits by the definition of the format, and 2^(largest exponent + 1)
// for infinity.
double defined_value(int bits, DType type) {
  const int n = fraction_bits(type), exponent = bits >> n, fraction = bits & ((1 << n) - 1);
  const int bias = type == DType::f16 ? 15 : 127;
  return exponent == 0 ? std::ldexp(fraction, 1 - bias - n)
                       : std::ldexp((1 << n) + fraction, exponent - bias - n);
}

TEST(Half, EveryNumberHasTheValueOfItsFormatAndConvertsBack) {
  for (const DType type : kTypes)
    for (int bits = 0; bits <= infinity(type); ++bits)
      for (const int sign : {0, 0x8000}) {
        const auto h = static_cast<uint16_t>(sign | bits);
        const double want = bits == infinity(type) ? kInfinity : defined_value(bits, type);
        ASSERT_EQ(from_half(h, type), sign ? -want : want) << name_of(type) << " " << h;
        ASSERT_EQ(std::signbit(from_half(h, type)), sign != 0) << name_of(type) << " " << h;
        ASSERT_EQ(to_half(from_half(h, type), type), h) << name_of(type);
      }
}

TEST(Half, NanStaysNan) {
  for (const DType type : kTypes) {
    for (int bits = infinity(type) + 1; bits < 0x8000; ++bits)
      for (const int sign : {0, 0x8000}) {
        const float f = from_half(static_cast<uint16_t>(sign | bits), type);
        ASSERT_TRUE(std::isnan(f)) << name_of(type) << " " << bits;
        ASSERT_TRUE(std::isnan(from_half(to_half(f, type), type))) << name_of(type) << " " << bits;
      }
    // The fraction bits of this NaN are cut off.
    const float quiet_lost = std::bit_cast<float>(0x7f800001);
    EXPECT_TRUE(std::isnan(from_half(to_half(quiet_lost, type), type)));
    EXPECT_TRUE(std::isnan(from_half(to_half(std::nan(""), type), type)));
  }
}

// The middle of two neighbours rounds to the even neighbour, and the f32 and f64 next to the middle round to
// the nearer neighbour. The middle between the largest number and the next power of two rounds to infinity.
TEST(Half, RoundsToTheNearestNumberAndTiesToEven) {
  for (const DType type : kTypes)
    for (int bits = 0; bits < infinity(type); ++bits) {
      const double middle = (defined_value(bits, type) + defined_value(bits + 1, type)) / 2;
      const int even = bits % 2 ? bits + 1 : bits;
      for (const double sign : {1., -1.}) {
        const int s = sign < 0 ? 0x8000 : 0;
        ASSERT_EQ(to_half(sign * middle, type), s | even) << name_of(type) << " " << bits;
        ASSERT_EQ(to_half(sign * std::nextafter(middle, 0), type), s | bits) << name_of(type) << " " << bits;
        ASSERT_EQ(to_half(sign * std::nextafter(middle, kInfinity), type), s | (bits + 1))
            << name_of(type) << bits;
        const auto f = static_cast<float>(sign * middle);
        if (static_cast<double>(f) != sign * middle) continue;  // half of the smallest bf16 is no f32
        ASSERT_EQ(to_half(f, type), s | even) << name_of(type) << " " << bits;
        ASSERT_EQ(to_half(std::nextafter(f, 0.f), type), s | bits) << name_of(type) << " " << bits;
        ASSERT_EQ(to_half(std::nextafter(f, f * 2), type), s | (bits + 1)) << name_of(type) << " " << bits;
      }
    }
}

TEST(Half, ValuesBeyondTheRange) {
  EXPECT_EQ(to_half(65519.996f, f16), 0x7bff);
  EXPECT_EQ(to_half(65520.f, f16), 0x7c00);
  EXPECT_EQ(to_half(-65520.f, f16), 0xfc00);
  EXPECT_EQ(to_half(3.4e38f, f16), 0x7c00);
  EXPECT_EQ(to_half(std::numeric_limits<float>::max(), bf16), 0x7f80);
  for (const DType type : kTypes) {
    EXPECT_EQ(to_half(1e300, type), infinity(type));
    EXPECT_EQ(to_half(-kInfinity, type), 0x8000 | infinity(type));
    EXPECT_EQ(to_half(1e-300, type), 0);
    EXPECT_EQ(to_half(-1e-300, type), 0x8000);
    EXPECT_EQ(to_half(-0.0, type), 0x8000);
  }
}

// A number of 64 bits is rounded once. A conversion through f64 or f32 would first make a tie of these
// numbers.
TEST(Half, IntegersAreRoundedOnce) {
  const auto bf16_value = [](auto v) { return from_half(to_half(v, bf16), bf16); };
  const int64_t middle = (int64_t{1} << 62) + (int64_t{1} << 54);
  EXPECT_EQ(bf16_value(middle), 0x1p62f);
  EXPECT_EQ(bf16_value(middle + 1), 0x1p62f + 0x1p55f);
  EXPECT_EQ(bf16_value(-middle), -0x1p62f);
  EXPECT_EQ(bf16_value(-middle - 1), -0x1p62f - 0x1p55f);
  EXPECT_EQ(bf16_value(std::numeric_limits<int64_t>::min()), -0x1p63f);
  EXPECT_EQ(bf16_value(std::numeric_limits<uint64_t>::max()), 0x1p64f);
  EXPECT_EQ(bf16_value(uint64_t{0x8080000000000000}), 0x1p63f);
  EXPECT_EQ(bf16_value(uint64_t{0x8080000000000001}), 0x1.02p63f);
  for (int shift = 9; shift < 63; ++shift) {
    const int64_t tie = (int64_t{1} << shift) + (int64_t{1} << (shift - 8));
    EXPECT_EQ(bf16_value(tie), std::ldexp(1.f, shift)) << shift;
    EXPECT_EQ(bf16_value(tie + 1), std::ldexp(1 + 0x1p-7f, shift)) << shift;
    EXPECT_EQ(bf16_value(tie - 1), std::ldexp(1.f, shift)) << shift;
  }
  for (int64_t v = -70000; v <= 70000; ++v)
    for (const DType type : kTypes) ASSERT_EQ(to_half(v, type), to_half(static_cast<double>(v), type)) << v;
}

}  // namespace
}  // namespace cutset
