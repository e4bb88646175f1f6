// Element types, shapes and tensor types, without MLIR.
//
// A shape is a list of sizes, outermost first; images are NCHW. Sizes are static and not negative;
// rank is at most kMaxRank, so loops over dimensions need no allocation.
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

// Is the number one of the list? One from a file may not be.
bool is_dtype(DType type);
// Bytes of one element.
int64_t size_of(DType type);
const char* name_of(DType type);
// Does the host compute with it? f16, bf16 and i8 are only stored.
bool has_arithmetic(DType type);
// Fails where the host cannot add up what devices made of the type.
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

// Says no to negative sizes, ranks above kMaxRank and more than 2^48 bytes: every type that comes from outside
// goes through here before anything is allocated. A size of 0 counts as 1 here, so that no product of some of
// the sizes overflows either.
Status check_type(const TensorType& type);

// Fails where the bytes, which are those of the type, hold no value of it: a bool is one byte, 0 or 1.
Status check_bytes(const TensorType& type, const std::vector<unsigned char>& bytes);

// The shape of an elementwise result by the rules of NumPy; the error names both shapes.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);

}  // namespace cutset
