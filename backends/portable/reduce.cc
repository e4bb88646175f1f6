#include "backends/portable/reduce.h"

namespace cutset::portable {

std::string limit_of(DType type, bool largest) {
  switch (type) {
    case DType::f32:
      return largest ? "INFINITY" : "-INFINITY";
    case DType::i8:
      return largest ? "127" : "-128";
    case DType::i16:
      return largest ? "32767" : "-32768";
    case DType::i32:
      return largest ? "0x7fffffff" : "(-0x7fffffff - 1)";
    case DType::i64:
      return largest ? "0x7fffffffffffffffL" : "(-0x7fffffffffffffffL - 1)";
    case DType::u64:
      return largest ? "0xfffffffffffffffful" : "0";
    case DType::u32:
      return largest ? "0xffffffffu" : "0";
    case DType::u16:
      return largest ? "65535" : "0";
    case DType::i1:
      return largest ? "1" : "0";
    default:
      return largest ? "255" : "0";
  }
}

namespace {

// Unsigned integers of 32 or 64 bits wrap around. An extremum keeps the sign.
const char* total_type(Reduction what, DType type) {
  if (type == DType::f32) return "float";
  const bool wide = size_of(type) == 8;
  if (what == Reduction::kSum || what == Reduction::kProduct) return wide ? "ulong" : "uint";
  const bool is_signed = type == DType::i8 || type == DType::i16 || type == DType::i32 || type == DType::i64;
  return wide ? is_signed ? "long" : "ulong" : is_signed ? "int" : "uint";
}

}  // namespace

std::string join_macros(Reduction what, DType type) {
  const std::string types =
      std::string("#define T ") + c_type(type) + "\n#define TOTAL " + total_type(what, type) + "\n";
  const std::string or_nan = type == DType::f32 ? " || (b) != (b)" : "";
  switch (what) {
    case Reduction::kSum:
      return types + "#define FIRST 0\n#define JOIN(a, b) ((a) + (b))\n";
    case Reduction::kProduct:
      return types + "#define FIRST 1\n#define JOIN(a, b) ((a) * (b))\n";
    case Reduction::kMax:
      return types + "#define FIRST " + limit_of(type, false) + "\n#define JOIN(a, b) ((b) > (a)" + or_nan +
             " ? (b) : (a))\n";
    default:
      return types + "#define FIRST " + limit_of(type, true) + "\n#define JOIN(a, b) ((b) < (a)" + or_nan +
             " ? (b) : (a))\n";
  }
}

}  // namespace cutset::portable
