// A tensor in host memory that owns its bytes: what goes into a session and comes out of it.
#pragma once
#include <cstring>
#include <vector>

#include "ir/core/tensor_view.h"
#include "ir/core/types.h"

namespace cutset {

struct HostTensor {
  TensorType type;
  std::vector<unsigned char> bytes;

  HostTensor() = default;
  explicit HostTensor(TensorType t) : type(std::move(t)), bytes(static_cast<size_t>(type.bytes())) {}
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(bytes.data());
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
  TensorView view() { return {bytes.data(), type}; }
  // Element i as a number, whatever the type.
  double at(int64_t i) const {
    double v = 0;
    (void)dispatch_all(type.dtype, [&]<class T>(T) { v = static_cast<double>(as<T>()[i]); });
    return v;
  }
};

// f32 as f64; anything else as it is.
inline HostTensor widened_to_f64(const HostTensor& t) {
  if (t.type.dtype != DType::f32) return t;
  HostTensor wide({DType::f64, t.type.shape});
  for (int64_t i = 0, n = t.type.elements(); i < n; ++i) wide.as<double>()[i] = t.as<float>()[i];
  return wide;
}

}  // namespace cutset
