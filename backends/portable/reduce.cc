// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/reduce.h"

#include "backends/portable/typed_kernels.h"

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

// Sums and products of integers use unsigned integers of 32 or 64 bits, which wrap around. An extremum keeps
// the sign.
const char* total_type(Reduction what, DType type) {
  if (type == DType::f32) return "float";
  const bool wide = size_of(type) == 8;
  if (what == Reduction::kSum || what == Reduction::kProduct) return wide ? "ulong" : "uint";
  if (is_unsigned(type) || type == DType::i1) return wide ? "ulong" : "uint";
  return wide ? "long" : "int";
}

}  // namespace

Macros join_macros(Reduction what, DType type) {
  Macros macros = {{"T", c_type(type)}, {"TOTAL", total_type(what, type)}};
  const auto add = [&](const std::string& first, const std::string& joined) {
    macros.insert(macros.end(), {{"FIRST", first}, {"JOIN(a, b)", joined}});
  };
  const bool blocks = what == Reduction::kSum && type == DType::f32;
  macros.insert(macros.end(), {{"JOIN_BLOCK(total, part)", blocks ? "END_BLOCK(total, part)" : ""},
                               {"WHOLE(total, part)", blocks ? "((total) + (part))" : "(part)"}});
  const std::string or_nan = type == DType::f32 ? " || (b) != (b)" : "";
  switch (what) {
    case Reduction::kSum:
      add("0", "((a) + (b))");
      break;
    case Reduction::kProduct:
      add("1", "((a) * (b))");
      break;
    case Reduction::kMax:
      add(limit_of(type, false), "((b) > (a)" + or_nan + " ? (b) : (a))");
      break;
    default:
      add(limit_of(type, true), "((b) < (a)" + or_nan + " ? (b) : (a))");
  }
  return macros;
}

}  // namespace cutset::portable
