// Element types, shapes and tensor types outside of MLIR.
//
// A shape lists the sizes of the dimensions, outermost first. Images are in the order NCHW. Sizes are static and not
// negative. The rank is at most kMaxRank, so loops over dimensions can use fixed arrays.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/abi_types.h"
#include "ir/core/result.h"

namespace cutset {

inline constexpr int kMaxRank = 8;

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
};

inline constexpr DType f32 = DType::f32, f64 = DType::f64, i32 = DType::i32, i64 = DType::i64, u8 = DType::u8,
                       i1 = DType::i1;

// Whether the value is one of the enumerators above. A value from a file may be another number.
bool is_dtype(DType type);
// The size of one element in bytes.
int64_t size_of(DType type);
// "f32", "i1" and so on.
const char* name_of(DType type);
// Whether ops can compute with the type. f16, bf16 and i8 can only be stored and transferred.
bool has_arithmetic(DType type);
// Fails if the host cannot add up elements of the type, which it does for a sum over devices.
Status check_summed_type(DType type);
inline bool is_float(DType t) { return t == DType::f32 || t == DType::f64 || t == DType::f16 || t == DType::bf16; }

using Shape = std::vector<int64_t>;

struct TensorType {
  DType dtype = DType::f32;
  Shape shape;

  bool operator==(const TensorType&) const = default;
  int rank() const { return static_cast<int>(shape.size()); }
  int64_t elements() const;  // 1 for rank 0
  int64_t bytes() const { return elements() * size_of(dtype); }
};
using Types = std::vector<TensorType>;

// "64x1x28x28xf32"; a scalar is "f32".
std::string to_string(const TensorType& type);
// "[64, 1, 28, 28]"
std::string to_string(const Shape& shape);

// Fails if the element type is not an enumerator, if the rank is above kMaxRank, if a size is negative, or if the
// tensor has more than 2^48 bytes. Every type that comes from a file or a user is checked before memory is allocated
// for it. A size of 0 counts as 1 for the limit, so that no product of some of the sizes overflows.
Status check_type(const TensorType& type);

// Fails if `bytes`, the contents of a tensor of this type, include an element that is not a value of the type. Only i1
// has such bytes: all but 0 and 1.
Status check_bytes(const TensorType& type, const std::vector<unsigned char>& bytes);

// The shape to which both shapes broadcast by the rules of NumPy. The error names both shapes and the sizes that
// differ.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);

}  // namespace cutset
