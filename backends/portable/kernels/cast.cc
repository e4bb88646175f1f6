#include "backends/portable/launches.h"

namespace cutset::portable {
namespace {

// A conversion to an integer type rounds towards zero, gives the nearest value of the type for a number outside its
// range, and gives 0 for NaN, as in the reference kernel.
const char* kSource = R"(
KERNEL(cast)(TENSOR(const FROM, x), TENSOR(TO, y), int n) {
  BIND(const FROM, x); BIND(TO, y);
  int i = ITEM;
  if (i >= n) return;
  FROM v = x[i];
  y[i] = CONVERT;
}
)";

struct Cast {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  // The conversion of v as an expression.
  static std::string expression(DType from, DType to) {
    if (to == DType::i1) return "v != 0";
    if (!is_float(from) || is_float(to)) return "(TO)v";
    switch (to) {
      case DType::i32:
        return "v != v ? 0 : v >= 0x1p31f ? 0x7fffffff : v <= -0x1p31f ? -0x7fffffff - 1 : (int)v";
      case DType::i64:
        return "v != v ? 0 : v >= 0x1p63f ? 0x7fffffffffffffffL : v <= -0x1p63f ? -0x7fffffffffffffffL - 1 : (long)v";
      case DType::i8:
        return "v != v ? 0 : v >= 127 ? 127 : v <= -128 ? -128 : (TO)v";
      case DType::i16:
        return "v != v ? 0 : v >= 32767 ? 32767 : v <= -32768 ? -32768 : (TO)v";
      case DType::u16:
        return "v != v || v <= 0 ? 0 : v >= 65535 ? 65535 : (TO)v";
      case DType::u32:
        return "v != v || v <= 0 ? 0 : v >= 0x1p32f ? 0xffffffffu : (TO)v";
      case DType::u64:
        return "v != v || v <= 0 ? 0 : v >= 0x1p64f ? 0xfffffffffffffffful : (TO)v";
      default:
        return "v != v || v <= 0 ? 0 : v >= 255 ? 255 : (TO)v";
    }
  }
  static void build(Launches& list, const abi::Problem& p) {
    const DType from = p.in_type(0), to = p.out_type(0);
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(std::string("#define FROM ") + c_type(from) + "\n#define TO " + c_type(to) + "\n#define CONVERT " +
                      expression(from, to) + kSource,
                  "cast", n, {in(0), out(0), n});
  }
};

}  // namespace

void register_cast(abi::KernelTable& kernels) { add_kernel<Cast>(kernels, "cast"); }

}  // namespace cutset::portable
