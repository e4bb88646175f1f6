// SPDX-License-Identifier: Apache-2.0
#include "ir/core/types.h"

#include <algorithm>
#include <array>

namespace cutset {
namespace {
struct DTypeRow {
  DType type;
  const char* name;
  int64_t size;
};
constexpr std::array<DTypeRow, 13> kDTypes = {{{DType::f32, "f32", 4},
                                               {DType::bf16, "bf16", 2},
                                               {DType::f16, "f16", 2},
                                               {DType::f64, "f64", 8},
                                               {DType::i8, "i8", 1},
                                               {DType::u8, "u8", 1},
                                               {DType::i32, "i32", 4},
                                               {DType::i64, "i64", 8},
                                               {DType::i1, "i1", 1},
                                               {DType::i16, "i16", 2},
                                               {DType::u16, "u16", 2},
                                               {DType::u32, "u32", 4},
                                               {DType::u64, "u64", 8}}};
}  // namespace

int64_t size_of(DType type) { return kDTypes.at(static_cast<size_t>(type)).size; }
const char* name_of(DType type) {
  return is_dtype(type) ? kDTypes[static_cast<size_t>(type)].name : "an unknown type";
}

int64_t TensorType::elements() const {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

std::string to_string(const TensorType& type) {
  std::string s;
  for (int64_t d : type.shape) s += std::to_string(d) + "x";
  return s + name_of(type.dtype);
}

std::string to_string(const Shape& shape) {
  std::string s = "[";
  for (size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + "]";
}

bool is_dtype(DType type) { return static_cast<size_t>(type) < kDTypes.size(); }

}  // namespace cutset
