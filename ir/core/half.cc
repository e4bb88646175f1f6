#include "ir/core/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cutset {
namespace {

struct Format {
  int fraction;       // number of stored fraction bits; the leading 1 is not stored
  int min_exponent;   // exponent of the smallest normal number
  uint16_t infinity;  // the bits of +infinity; larger magnitudes are NaN
};
constexpr Format kF16{10, -14, 0x7c00}, kBf16{7, -126, 0x7f80};
constexpr uint16_t kSign = 0x8000;

const Format& format_of(DType type) { return type == DType::bf16 ? kBf16 : kF16; }

}  // namespace

double from_half(uint16_t bits, DType type) {
  const Format& f = format_of(type);
  const auto magnitude = static_cast<uint16_t>(bits & ~kSign);
  const double sign = bits & kSign ? -1 : 1;
  if (magnitude > f.infinity) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == f.infinity) return sign * std::numeric_limits<double>::infinity();
  const int exponent = magnitude >> f.fraction;
  const int fraction = magnitude & ((1 << f.fraction) - 1);
  const int quantum = f.min_exponent - f.fraction + std::max(0, exponent - 1);
  return sign * std::ldexp(fraction + (exponent > 0 ? 1 << f.fraction : 0), quantum);
}

uint16_t to_half(double value, DType type) {
  const Format& f = format_of(type);
  const uint16_t sign = std::signbit(value) ? kSign : 0;
  if (std::isnan(value)) return static_cast<uint16_t>(sign | f.infinity | 1 << (f.fraction - 1));
  if (std::isinf(value)) return sign | f.infinity;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);                              // the leading bit of value is worth 2^(exponent - 1)
  const int above = std::max(0, exponent - f.min_exponent);  // 0 if the result is subnormal
  const int quantum = f.min_exponent - f.fraction + std::max(0, above - 1);
  const double steps = std::nearbyint(std::ldexp(std::abs(value), -quantum));
  // `steps` includes the leading 1 of a normal number, so adding `steps` also adds 1 to the exponent field. If
  // rounding reaches the next power of two, the sum carries into the exponent, and from the largest finite number to
  // infinity.
  const double bits = steps + static_cast<double>(std::max(0, above - 1)) * (1 << f.fraction);
  return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::min<double>(bits, f.infinity)));
}

}  // namespace cutset
