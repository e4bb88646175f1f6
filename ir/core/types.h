// SPDX-License-Identifier: Apache-2.0
// Element types, shapes and tensor types outside of MLIR.
//
// A shape lists the sizes of the dimensions, outermost first. Images are in the order NCHW. Sizes are static
// and not negative. The rank is at most kMaxRank, so loops over dimensions can use fixed arrays.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/abi_types.h"

namespace cutset {

// The largest rank of a tensor.
inline constexpr int kMaxRank = 8;

// The types of elements. The letters name the kind (f: floating point, bf: bfloat16, i: signed integer, u:
// unsigned integer), and the number is the number of bits. i1 is a truth value. The device ABI and saved
// programs use the values of the enumerators.
enum class DType : int32_t {
  f32 = CUTSET_F32,
  bf16 = CUTSET_BF16,
  f16 = CUTSET_F16,
  f64 = CUTSET_F64,
  i8 = CUTSET_I8,
  u8 = CUTSET_U8,
  i32 = CUTSET_I32,
  i64 = CUTSET_I64,
  i1 = CUTSET_I1,
  i16 = CUTSET_I16,
  u16 = CUTSET_U16,
  u32 = CUTSET_U32,
  u64 = CUTSET_U64,
};

// Short names of the types.
inline constexpr DType f32 = DType::f32, f64 = DType::f64, f16 = DType::f16, bf16 = DType::bf16,
                       i8 = DType::i8, i16 = DType::i16, i32 = DType::i32, i64 = DType::i64, u8 = DType::u8,
                       u16 = DType::u16, u32 = DType::u32, u64 = DType::u64, i1 = DType::i1;

// Whether the value is one of the enumerators above. A value from a file may be another number.
bool is_dtype(DType type);
// Returns the size of one element in bytes.
int64_t size_of(DType type);
// Returns "f32", "i1" and so on, or "an unknown type" for another number.
const char* name_of(DType type);
// Whether the type is a floating-point type.
constexpr bool is_float(DType t) {
  return t == DType::f32 || t == DType::f64 || t == DType::f16 || t == DType::bf16;
}
// Whether the type is an unsigned integer type. i1 is not an integer type.
constexpr bool is_unsigned(DType t) {
  return t == DType::u8 || t == DType::u16 || t == DType::u32 || t == DType::u64;
}

// The sizes of the dimensions, outermost first. The shape of a scalar is empty.
using Shape = std::vector<int64_t>;

// The type of a tensor. The struct may hold an invalid type. check_type (ir/core/check_types.h) refuses
// invalid types from files and users.
struct TensorType {
  DType dtype = DType::f32;  // the type of the elements
  Shape shape;               // the sizes of the dimensions

  bool operator==(const TensorType&) const = default;
  int rank() const { return static_cast<int>(shape.size()); }    // the number of dimensions
  int64_t elements() const;                                      // the product of the sizes; 1 for rank 0
  int64_t bytes() const { return elements() * size_of(dtype); }  // the size of the elements, without padding
};
// A list of tensor types, such as the types of the operands of an op.
using Types = std::vector<TensorType>;

// Returns "64x1x28x28xf32", or "f32" for a scalar.
std::string to_string(const TensorType& type);
// Returns "[64, 1, 28, 28]".
std::string to_string(const Shape& shape);

}  // namespace cutset
