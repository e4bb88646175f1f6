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
constexpr std::array<DTypeRow, 9> kDTypes = {{{DType::f32, "f32", 4},
                                              {DType::bf16, "bf16", 2},
                                              {DType::f16, "f16", 2},
                                              {DType::f64, "f64", 8},
                                              {DType::i8, "i8", 1},
                                              {DType::u8, "u8", 1},
                                              {DType::i32, "i32", 4},
                                              {DType::i64, "i64", 8},
                                              {DType::i1, "i1", 1}}};
}  // namespace

int64_t size_of(DType type) { return kDTypes.at(static_cast<size_t>(type)).size; }
const char* name_of(DType type) { return kDTypes.at(static_cast<size_t>(type)).name; }

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

bool has_arithmetic(DType type) { return type != DType::f16 && type != DType::bf16 && type != DType::i8; }

Status check_summed_type(DType type) {
  if (has_arithmetic(type)) return {};
  return unsupported(std::string("a sum over devices of elements of type ") + name_of(type) + " is not supported",
                     "cast to f32 before the partial sums are added");
}

bool is_dtype(DType type) { return static_cast<size_t>(type) < kDTypes.size(); }

Status check_type(const TensorType& type) {
  if (!is_dtype(type.dtype))
    return invalid_data("element type " + std::to_string(static_cast<int>(type.dtype)) +
                        " does not exist; element types are numbered from 0 to " + std::to_string(kDTypes.size() - 1));
  if (type.rank() > kMaxRank)
    return invalid_data("rank " + std::to_string(type.rank()) + " is above the limit of " + std::to_string(kMaxRank));
  constexpr int64_t kLimit = int64_t{1} << 48;
  int64_t bytes = size_of(type.dtype);
  for (int64_t d : type.shape) {
    if (d < 0) return invalid_data("the shape " + to_string(type.shape) + " has a negative size");
    if (d == 0) continue;  // the product of the other sizes must not overflow either
    if (bytes > kLimit / d)
      return invalid_data("a tensor of shape " + to_string(type.shape) + " is too large: the limit is 2^48 bytes");
    bytes *= d;
  }
  return {};
}

Status check_bytes(const TensorType& type, const std::vector<unsigned char>& bytes) {
  if (type.dtype != DType::i1) return {};
  const auto bad = std::find_if(bytes.begin(), bytes.end(), [](unsigned char b) { return b > 1; });
  if (bad == bytes.end()) return {};
  return invalid_data("element " + std::to_string(bad - bytes.begin()) + " of an i1 tensor is " + std::to_string(*bad) +
                      ", which is neither 0 nor 1");
}

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return invalid_argument("shapes " + to_string(a) + " and " + to_string(b) +
                              " do not broadcast: " + std::to_string(x) + " against " + std::to_string(y));
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

}  // namespace cutset
