// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/typed_kernels.h"

#include <cassert>

#include "ir/core/half.h"

namespace cutset::portable {
namespace {

Macros c_type_macro(DType type) { return {{"T", c_type(type)}}; }

// Does what typed_kernel does, for these types.
TypedKernel kernel_for(const std::string& name, std::span<const DType> types, DType type,
                       const std::function<Macros(DType)>& macros, const std::string& source) {
  // The names are written into the text, not defined as macros, so that a search in the text finds them.
  const std::string start = "KERNEL(" + name + ")";
  const size_t at = source.find(start);
  assert(at != std::string::npos);
  std::string text;
  for (DType t : types) {
    const Macros defined = macros(t);
    text += definitions(defined) + source.substr(0, at) + "KERNEL(" + kernel_name(name, t) + ")" +
            source.substr(at + start.size()) + "\n" + ends_of_definitions(defined);
  }
  return {text, kernel_name(name, type)};
}

}  // namespace

std::span<const DType> type_group(DType type) {
  static constexpr DType single[] = {DType::f32}, halves[] = {DType::f16, DType::bf16}, flags[] = {DType::i1},
                         integers[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                                       DType::u8, DType::u16, DType::u32, DType::u64};
  if (is_half(type)) return halves;
  if (is_float(type)) return single;
  if (type == DType::i1) return flags;
  return integers;
}

std::string kernel_name(const std::string& name, DType type) { return name + "_" + name_of(type); }

TypedKernel typed_kernel(const std::string& name, DType type, const std::function<Macros(DType)>& macros,
                         const std::string& source) {
  return kernel_for(name, type_group(type), type, macros, source);
}

TypedKernel typed_kernel(const std::string& name, DType type, const std::string& source) {
  return typed_kernel(name, type, c_type_macro, source);
}

TypedKernel moving_kernel(const std::string& name, int64_t bytes, const std::string& source) {
  static constexpr DType sizes[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  DType type = sizes[0];
  for (DType t : sizes)
    if (size_of(t) == bytes) type = t;
  return kernel_for(name, sizes, type, c_type_macro, source);
}

}  // namespace cutset::portable
