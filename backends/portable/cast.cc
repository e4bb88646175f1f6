// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/cast.h"

#include "backends/portable/halves.h"
#include "backends/portable/typed_kernels.h"

namespace cutset::portable {
namespace {

const char* kCastSource = R"(
KERNEL(cast)(TENSOR(const FROM, x), TENSOR(TO, y), int n) {
  BIND(const FROM, x); BIND(TO, y);
  int i = ITEM;
  if (i >= n) return;
  VALUE v = LOAD(x[i]);
  y[i] = STORE(CONVERT);
}
)";

// Returns the conversion of v as an expression. As in the reference kernel, a conversion to an integer type
// rounds towards zero, gives the nearest value of the type for a number outside its range, and gives 0 for
// NaN.
std::string expression(DType from, DType to) {
  if (to == DType::i1) return "v != 0";
  if (is_half(to) && !is_float(from) && size_of(from) >= 4)
    return "v < 0 ? -float_for_half(0 - (ulong)v) : float_for_half((ulong)v)";
  if (is_half(to)) return "(float)v";
  if (!is_float(from) || is_float(to)) return "(TO)v";
  switch (to) {
    case DType::i32:
      return "v != v ? 0 : v >= 0x1p31f ? 0x7fffffff : v <= -0x1p31f ? -0x7fffffff - 1 : (int)v";
    case DType::i64:
      return "v != v ? 0 : v >= 0x1p63f ? 0x7fffffffffffffffL : v <= -0x1p63f ? -0x7fffffffffffffffL - 1 : "
             "(long)v";
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

}  // namespace

void add_cast(Launches& list, DType from, DType to, int64_t n, Argument x, Argument y) {
  const auto macros = [from](DType t) {
    return Macros{{"TO", stored_type(t)}, {"STORE(v)", stored(t, "v")}, {"CONVERT", expression(from, t)}};
  };
  const TypedKernel kernel = typed_kernel("cast", to, macros, kCastSource);
  const DType types[] = {from, to};
  list.add_flat(
      half_functions(types) +
          definitions(
              {{"FROM", stored_type(from)}, {"VALUE", value_type(from)}, {"LOAD(v)", loaded(from, "v")}}) +
          kernel.source,
      kernel.name, n, {x, y, n});
}

HalfConversion::HalfConversion(cutset_device device, const std::vector<abi::FloatProblem::Half>& halves,
                               bool results) {
  Launches list;
  uint64_t at = 0;
  for (const abi::FloatProblem::Half& h : halves)
    if (h.result == results) {
      add_cast(list, results ? DType::f32 : h.type, results ? h.type : DType::f32, h.elements, in(at),
               out(at));
      ++at;
    }
  loaded_ = load(device, list);
}

void HalfConversion::enqueue(cutset_queue queue, const cutset_slice* from, const cutset_slice* to,
                             const cutset_run* run) {
  loaded_->enqueue(queue, {from, to, nullptr, run});
}

}  // namespace cutset::portable
