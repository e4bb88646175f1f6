// SPDX-License-Identifier: Apache-2.0
#include "ir/core/check_types.h"

#include <algorithm>

namespace cutset {

Status check_type(const TensorType& type) {
  if (!is_dtype(type.dtype))
    return invalid_data("element type " + std::to_string(static_cast<int>(type.dtype)) +
                        " does not exist; element types are numbered from 0 to " +
                        std::to_string(CUTSET_U64));
  if (type.rank() > kMaxRank)
    return invalid_data("rank " + std::to_string(type.rank()) + " is above the limit of " +
                        std::to_string(kMaxRank));
  constexpr int64_t kLimit = int64_t{1} << 48;
  int64_t bytes = size_of(type.dtype);
  for (int64_t d : type.shape) {
    if (d < 0) return invalid_data("the shape " + to_string(type.shape) + " has a negative size");
    if (d == 0) continue;  // the product of the other sizes must not overflow either
    if (bytes > kLimit / d)
      return invalid_data("a tensor of shape " + to_string(type.shape) +
                          " is too large: the limit is 2^48 bytes");
    bytes *= d;
  }
  return {};
}

Status check_bytes(const TensorType& type, const std::vector<unsigned char>& bytes) {
  if (type.dtype != DType::i1) return {};
  const auto bad = std::find_if(bytes.begin(), bytes.end(), [](unsigned char b) { return b > 1; });
  if (bad == bytes.end()) return {};
  return invalid_data("element " + std::to_string(bad - bytes.begin()) + " of an i1 tensor is " +
                      std::to_string(*bad) + ", which is neither 0 nor 1");
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

Status check_types(const char* what, const Types& types) {
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string which = what + (" " + std::to_string(i)) + ": ";
    if (Status sound = check_type(types[i]); !sound.ok()) return invalid_argument(which + sound.error().what);
  }
  return {};
}

}  // namespace cutset
