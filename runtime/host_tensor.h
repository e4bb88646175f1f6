// A tensor in host memory that owns its bytes: what goes into a session and comes out of it.
//
//   HostTensor zeros({f32, {4, 6}});
//   HostTensor x({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});  // the elements' C++ type says which type
//   HostTensor rate = HostTensor::scalar(0.1f);
//   x.as<float>()[4] = 7;
//
// Its bytes always fit its type. A user's mistake is a cutset::Error with the line of the call.
#pragma once
#include <initializer_list>
#include <ranges>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/core/error.h"
#include "ir/core/tensor_view.h"
#include "ir/core/types.h"

namespace cutset {

// The C++ types of elements: bool, float, double, signed integers of 1, 4 and 8 bytes, unsigned ones of 1.
template <class T>
concept Element = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  (std::is_integral_v<T> && (sizeof(T) == 1 || (std::is_signed_v<T> && sizeof(T) >= 4)));
// The type of tensors whose elements are Ts.
template <Element T>
constexpr DType dtype_of() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? DType::f32 : DType::f64;
  else if constexpr (std::is_same_v<T, bool>)
    return DType::i1;
  else if constexpr (sizeof(T) == 1)
    return std::is_signed_v<T> ? DType::i8 : DType::u8;
  else
    return sizeof(T) == 4 ? DType::i32 : DType::i64;
}

class HostTensor {
 public:
  using Where = std::source_location;

  // f32 of shape [0], which holds nothing. A tensor that was moved from is the same.
  HostTensor() = default;
  // Zeros.
  explicit HostTensor(TensorType type, Where where = Where::current());
  // The elements in row-major order, exactly as many as `shape` has.
  template <std::ranges::sized_range R>
    requires Element<std::ranges::range_value_t<R>>
  HostTensor(Shape shape, const R& elements, Where where = Where::current())
      : HostTensor(TensorType{dtype_of<std::ranges::range_value_t<R>>(), std::move(shape)}, where) {
    require_elements(std::ranges::size(elements), where);
    auto* to = reinterpret_cast<std::ranges::range_value_t<R>*>(bytes_.data());
    for (const auto& e : elements) *to++ = e;
  }
  template <Element T>
  HostTensor(Shape shape, std::initializer_list<T> elements, Where where = Where::current())
      : HostTensor(std::move(shape), std::span<const T>(elements.begin(), elements.size()), where) {}
  template <Element T>
  static HostTensor scalar(T value, Where where = Where::current()) {
    return HostTensor(Shape{}, std::span<const T>(&value, 1), where);
  }
  // An error where `bytes` are not as many as `type` has.
  static Result<HostTensor> from_bytes(TensorType type, std::vector<unsigned char> bytes);

  HostTensor(const HostTensor&) = default;
  HostTensor& operator=(const HostTensor&) = default;
  HostTensor(HostTensor&& other) noexcept { swap(other); }
  HostTensor& operator=(HostTensor&& other) noexcept {
    HostTensor(std::move(other)).swap(*this);
    return *this;
  }
  // The same type and the same bits, so a NaN equals itself and -0 does not equal 0.
  bool operator==(const HostTensor& other) const { return type() == other.type() && bytes_ == other.bytes_; }

  const TensorType& type() const& { return holds_ ? type_ : empty_type(); }
  TensorType type() && { return holds_ ? type_ : empty_type(); }
  const Shape& shape() const& { return type().shape; }
  Shape shape() && { return type().shape; }
  DType dtype() const { return holds_ ? type_.dtype : DType::f32; }
  int64_t elements() const { return type().elements(); }

  // What is handed out here refers into the tensor, so a temporary hands nothing out.
  unsigned char* data() & { return bytes_.data(); }
  const unsigned char* data() const& { return bytes_.data(); }
  std::span<unsigned char> bytes() & { return bytes_; }
  std::span<const unsigned char> bytes() const& { return bytes_; }
  TensorView view() & { return {bytes_.data(), type()}; }
  // The elements. T is the C++ type of the tensor's elements, or uint16_t for the bits of f16 and bf16.
  template <class T>
  T* as(Where where = Where::current()) & {
    require_type<T>(where);
    return reinterpret_cast<T*>(bytes_.data());
  }
  template <class T>
  const T* as(Where where = Where::current()) const& {
    require_type<T>(where);
    return reinterpret_cast<const T*>(bytes_.data());
  }
  void data() && = delete;
  void bytes() && = delete;
  void view() && = delete;
  template <class T>
  void as() && = delete;

  // Element `i` in row-major order as a number, whatever the type; i64 beyond 2^53 is rounded.
  double at(int64_t i, Where where = Where::current()) const;
  // A floating-point element is rounded to nearest; an integer one takes whole numbers of its range only.
  void set(int64_t i, double value, Where where = Where::current());
  // The element of a tensor that has one. An integer T takes whole numbers of its range only.
  template <class T>
    requires std::is_arithmetic_v<T>
  T item(Where where = Where::current()) const {
    require_one(where);
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(at(0, where));
    if constexpr (std::is_same_v<T, bool>)
      return whole(0, 1, where) != 0;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(whole(std::is_signed_v<T> ? -1 : 0, sizeof(T) * 8 - std::is_signed_v<T>, where));
  }
  // The same elements in another shape of as many.
  HostTensor reshaped(Shape shape, Where where = Where::current()) const;

  void swap(HostTensor& other) noexcept {
    std::swap(type_, other.type_), std::swap(bytes_, other.bytes_), std::swap(holds_, other.holds_);
  }

 private:
  static const TensorType& empty_type();
  void require_elements(uint64_t given, Where where) const;
  void require_one(Where where) const;
  // The element as an integer within [-2^bits, 2^bits) where `sign` is -1, [0, 2^bits) where it is 0.
  int64_t whole(int sign, unsigned bits, Where where) const;
  template <class T>
  void require_type(Where where) const {
    using E = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<E, uint16_t>) {
      if (dtype() == DType::f16 || dtype() == DType::bf16) return;
      wrong_type("uint16_t", where);
    } else {
      static_assert(Element<E>, "no type of tensors has elements of this C++ type");
      if (dtype() != dtype_of<E>()) wrong_type(name_of(dtype_of<E>()), where);
    }
  }
  [[noreturn]] void wrong_type(const char* asked, Where where) const;

  TensorType type_;
  std::vector<unsigned char> bytes_;
  bool holds_ = false;  // else the type is that of an empty tensor, so that moving allocates nothing
};

// f32 as f64; anything else as it is.
HostTensor widened_to_f64(const HostTensor& t);

}  // namespace cutset
