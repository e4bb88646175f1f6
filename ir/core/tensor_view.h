// SPDX-License-Identifier: Apache-2.0
// A view of a contiguous, row-major tensor in host memory, and loops over its elements. Reference kernels
// work on views.
//
// A view owns neither the data nor the shape. Both must outlive the view. Copying a view copies no data. No
// function allocates memory.
#pragma once
#include <cstdint>
#include <span>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

struct TensorView {
  void* data = nullptr;  // null if the op reads only the type of the operand (a `like` operand)
  DType dtype = DType::f32;
  std::span<const int64_t> shape;

  TensorView() = default;
  TensorView(void* d, DType t, std::span<const int64_t> s) : data(d), dtype(t), shape(s) {}
  TensorView(void* d, const TensorType& t) : data(d), dtype(t.dtype), shape(t.shape) {}

  int rank() const { return static_cast<int>(shape.size()); }
  // Returns the size of dimension i, which counts from the front.
  int64_t dim(int i) const { return shape[static_cast<size_t>(i)]; }
  int64_t elements() const {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
  }
  // Returns the data as elements of type T, which must be the C++ type of `dtype`.
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

using Views = std::span<const TensorView>;

// Calls f with a value of the C++ type that `type` stands for, so that a generic lambda can name the type. i1
// is bool. Fails for f16 and bf16, which have no C++ type.
template <class F>
Status dispatch_all(DType type, F&& f) {
  switch (type) {
    case DType::f32:
      f(float{});
      return {};
    case DType::f64:
      f(double{});
      return {};
    case DType::i32:
      f(int32_t{});
      return {};
    case DType::i64:
      f(int64_t{});
      return {};
    case DType::i8:
      f(int8_t{});
      return {};
    case DType::i16:
      f(int16_t{});
      return {};
    case DType::u8:
      f(uint8_t{});
      return {};
    case DType::u16:
      f(uint16_t{});
      return {};
    case DType::u32:
      f(uint32_t{});
      return {};
    case DType::u64:
      f(uint64_t{});
      return {};
    case DType::i1:
      f(bool{});
      return {};
    default:
      return unsupported(std::string("no reference kernel for ") + name_of(type));
  }
}
// Calls f with an unsigned integer of the size of the elements, for kernels that only move elements.
template <class F>
void dispatch_bits(DType type, F&& f) {
  switch (size_of(type)) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}
// Does the same as dispatch_all for f32 and f64 only.
template <class F>
Status dispatch_float(DType type, F&& f) {
  switch (type) {
    case DType::f32:
      f(float{});
      return {};
    case DType::f64:
      f(double{});
      return {};
    default:
      return unsupported(std::string("no reference kernel for ") + name_of(type));
  }
}

// A stride per dimension, in elements.
struct Strides {
  int64_t at[kMaxRank] = {};
};
// Returns the strides to read a contiguous tensor of shape `from` as if it were broadcast to the shape `to`
// by the rules of NumPy. The stride is 0 along broadcast dimensions. `from` must broadcast to `to`.
inline Strides broadcast_strides(std::span<const int64_t> from, std::span<const int64_t> to) {
  Strides s;
  int64_t step = 1;
  for (int i = static_cast<int>(from.size()) - 1; i >= 0; --i) {
    int at = i + static_cast<int>(to.size()) - static_cast<int>(from.size());
    int64_t d = from[static_cast<size_t>(i)];
    s.at[at] = d == 1 && to[static_cast<size_t>(at)] != 1 ? 0 : step;
    step *= d;
  }
  return s;
}

// Calls f(i, offset) for each element i of a row-major tensor of shape `shape`, in order. offset[k] is the
// offset of the element, in elements, for the strides strides[k].
template <size_t N, class F>
void for_each_element(std::span<const int64_t> shape, const Strides (&strides)[N], F&& f) {
  int64_t index[kMaxRank] = {}, offset[N] = {}, count = 1;
  int rank = static_cast<int>(shape.size());
  for (int64_t d : shape) count *= d;
  for (int64_t i = 0; i < count; ++i) {
    f(i, offset);
    for (int d = rank - 1; d >= 0; --d) {
      for (size_t k = 0; k < N; ++k) offset[k] += strides[k].at[d];
      if (++index[d] < shape[static_cast<size_t>(d)]) break;
      index[d] = 0;
      for (size_t k = 0; k < N; ++k) offset[k] -= strides[k].at[d] * shape[static_cast<size_t>(d)];
    }
  }
}

}  // namespace cutset
