#include "backends/portable/type_group.h"

namespace cutset::portable {

std::span<const DType> type_group(DType type) {
  static constexpr DType floats[] = {DType::f32, DType::f16, DType::bf16}, flags[] = {DType::i1},
                         integers[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                                       DType::u8, DType::u16, DType::u32, DType::u64};
  if (is_float(type)) return floats;
  if (type == DType::i1) return flags;
  return integers;
}

std::span<const DType> c_type_group(DType type) {
  const std::span<const DType> all = type_group(type);
  return is_float(type) ? all.first(1) : all;
}

std::span<const DType> moved_types() {
  static constexpr DType types[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  return types;
}

DType moved_type(int64_t bytes) {
  return bytes == 1 ? DType::u8 : bytes == 2 ? DType::u16 : bytes == 4 ? DType::u32 : DType::u64;
}

std::string definitions(const Macros& macros) {
  std::string text;
  for (const auto& [name, meaning] : macros) text += "#define " + name + " " + meaning + "\n";
  return text;
}

std::string kernel_name(const std::string& name, DType type) { return name + "_" + name_of(type); }

std::string kernels_for(std::span<const DType> types, const std::string& name,
                        const std::function<Macros(DType)>& macros, const std::string& source) {
  std::string text;
  for (DType type : types) {
    const Macros defined = macros(type);
    text += definitions(defined) + "KERNEL(" + kernel_name(name, type) + ")" + source + "\n";
    for (const auto& [macro, meaning] : defined) text += "#undef " + macro.substr(0, macro.find('(')) + "\n";
  }
  return text;
}

std::string kernels_beside(DType type, const std::string& name, const std::string& source) {
  return kernels_for(c_type_group(type), name, [](DType t) { return Macros{{"T", c_type(t)}}; }, source);
}

std::string moving_kernels(const std::string& name, const std::string& source) {
  return kernels_for(moved_types(), name, [](DType type) { return Macros{{"T", c_type(type)}}; }, source);
}

}  // namespace cutset::portable
