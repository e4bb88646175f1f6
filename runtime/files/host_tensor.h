// SPDX-License-Identifier: Apache-2.0
// A tensor in host memory. The inputs and the results of a session are HostTensors.
//
//   HostTensor zeros({f32, {4, 6}});
//   HostTensor x({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});  // f32, because the elements are floats
//   HostTensor rate = HostTensor::scalar(0.1f);
//   x.as<float>()[4] = 7;
//   HostTensor frame = HostTensor::borrow({480, 640, 3}, pixels);  // reads a vector without a copy
//
// A tensor has the bytes of its elements in row-major order, always type().bytes() bytes. A copy of a tensor
// always gets separate bytes. Every mistake of the caller (a shape that does not match the elements, an index
// out of range, the wrong C++ type) throws a cutset::Error with the line of the call. Several threads may
// read a tensor through const references at the same time. While one thread changes a tensor, no other thread
// may use it.
//
// A tensor owns its bytes, unless borrow() made it. A borrowed tensor never writes to the memory of the
// caller. The first access that could change an element (data(), bytes(), as() and set() of a tensor that is
// not const) copies the elements to memory of the tensor, and releases the memory of the caller. Pointers
// that were taken before then do not point to the elements of the tensor any more.
#pragma once
#include <initializer_list>
#include <iterator>
#include <memory>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/core/error.h"
#include "ir/core/types.h"

namespace cutset {

class HostOwner;
class HostPool;

// A C++ type of elements: bool, float, double, or an integer of 1, 2, 4 or 8 bytes.
template <class T>
concept Element = std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_integral_v<T>;
// Returns the element type that corresponds to the C++ type T.
template <Element T>
constexpr DType dtype_of() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? DType::f32 : DType::f64;
  else if constexpr (std::is_same_v<T, bool>)
    return DType::i1;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? DType::i8
           : sizeof(T) == 2 ? DType::i16
           : sizeof(T) == 4 ? DType::i32
                            : DType::i64;
  else
    return sizeof(T) == 1   ? DType::u8
           : sizeof(T) == 2 ? DType::u16
           : sizeof(T) == 4 ? DType::u32
                            : DType::u64;
}

// Ranges of elements: ranges with a known number of elements, and ranges of contiguous memory that outlives a
// temporary range. (The concepts of <ranges> are equal, but compiling their header takes a tenth of the time
// of a program.)
template <class R>
using ElementOf = std::iter_value_t<decltype(std::begin(std::declval<R&>()))>;
template <class R>
concept ElementRange = requires(const R& r) {
  std::size(r);
  requires Element<ElementOf<const R>>;
};
template <class R>
concept BorrowedElements = ElementRange<std::remove_cvref_t<R>> && requires(R& r) {
  requires std::contiguous_iterator<decltype(std::begin(r))>;
  requires std::is_lvalue_reference_v<R> || std::is_same_v<std::remove_cvref_t<R>, std::span<ElementOf<R>>> ||
               std::is_same_v<std::remove_cvref_t<R>, std::span<const ElementOf<R>>>;
};

// A tensor in host memory. The head of this file shows how tensors are made and read.
class HostTensor {
 public:
  // The line of the call, for errors. Callers leave out parameters of this type.
  using Where = std::source_location;

  // Makes an empty tensor: f32 of shape [0]. A tensor that was moved from is also empty.
  HostTensor() = default;
  // Makes a tensor of zeros. Throws if the type is invalid (see check_type) or if there is not enough memory.
  explicit HostTensor(TensorType type, Where source = Where::current());
  // Makes a tensor of the given elements in row-major order. Throws if `shape` has another number of
  // elements.
  template <ElementRange R>
  HostTensor(Shape shape, const R& elements, Where source = Where::current())
      : HostTensor(undefined({dtype_of<ElementOf<const R>>(), std::move(shape)}, nullptr, source)) {
    require_elements(std::size(elements), source);
    auto* to = reinterpret_cast<ElementOf<const R>*>(storage_.writable());
    for (const auto& e : elements) *to++ = e;
  }
  // Makes the same tensor from elements in braces.
  template <Element T>
  HostTensor(Shape shape, std::initializer_list<T> elements, Where source = Where::current())
      : HostTensor(std::move(shape), std::span<const T>(elements.begin(), elements.size()), source) {}
  // Returns a tensor of rank 0 with one element.
  template <Element T>
  static HostTensor scalar(T value, Where source = Where::current()) {
    return HostTensor(Shape{}, std::span<const T>(&value, 1), source);
  }
  // Makes a tensor that takes ownership of `bytes`, the elements in row-major order. Throws if their number
  // is not type.bytes(), or if a byte of a tensor of i1 is neither 0 nor 1.
  HostTensor(TensorType type, std::vector<unsigned char> bytes, Where source = Where::current());

  // Returns a tensor that reads its elements from `bytes`, memory of the caller, without a copy (see the head
  // of this file). The memory must stay valid and unchanged while the tensor has it. Meanwhile the tensor, or
  // the tensor that it is moved to, keeps a reference to `owner`. The deleter of `owner` can therefore
  // release the memory:
  //
  //   std::shared_ptr<const void> owner(buffer, [](const void* b) { release(b); });
  //
  // The deleter may run on any thread, such as a thread that makes batches. Without an owner, the caller must
  // keep the memory long enough: a Session needs the tensors of a batch until run() returns, and a
  // PrefetchedBatch needs them until it is destroyed. Throws, and releases the owner, in these cases:
  // - The number of bytes is not type.bytes().
  // - The address is not a multiple of the size of an element.
  // - A byte of a tensor of i1 is neither 0 nor 1.
  static HostTensor borrow(TensorType type, std::span<const unsigned char> bytes,
                           std::shared_ptr<const void> owner = nullptr, Where source = Where::current());
  // Returns a tensor that borrows elements of a C++ type, with the corresponding element type. The compiler
  // refuses temporaries.
  template <BorrowedElements R>
  static HostTensor borrow(Shape shape, R&& elements, std::shared_ptr<const void> owner = nullptr,
                           Where source = Where::current()) {
    using T = ElementOf<R>;
    const std::span<const T> given(std::data(elements), std::size(elements));
    return borrow(TensorType{dtype_of<T>(), std::move(shape)},
                  {reinterpret_cast<const unsigned char*>(given.data()), given.size_bytes()},
                  std::move(owner), source);
  }

  // Copies the elements.
  HostTensor(const HostTensor& other);
  HostTensor& operator=(const HostTensor& other);
  // Takes the elements without a copy. `other` becomes empty.
  HostTensor(HostTensor&& other) noexcept { swap(other); }
  // Takes the elements without a copy. `other` becomes empty.
  HostTensor& operator=(HostTensor&& other) noexcept;
  // Compares type and bits, so a NaN equals itself and -0 does not equal 0.
  bool operator==(const HostTensor& other) const;

  // Return the type, its shape and its element type, and the number of elements.
  const TensorType& type() const& { return holds_ ? type_ : empty_type(); }
  TensorType type() &&;
  const Shape& shape() const& { return type().shape; }
  Shape shape() &&;
  DType dtype() const { return holds_ ? type_.dtype : DType::f32; }
  int64_t elements() const { return type().elements(); }

  // Return pointers and views to the memory of the tensor, so they are deleted for temporaries. If the tensor
  // is not const, they are for writing: they copy a borrowed tensor, and throw if there is not enough memory.
  unsigned char* data(Where source = Where::current()) & { return writable(source); }
  const unsigned char* data() const& { return storage_.data(); }
  std::span<unsigned char> bytes(Where source = Where::current()) &;
  std::span<const unsigned char> bytes() const&;
  // Returns the elements in row-major order. T must be the C++ type of the tensor's element type, or uint16_t
  // for the bits of f16 and bf16. Throws if it is not.
  template <class T>
  std::span<T> as(Where source = Where::current()) & {
    require_type<T>(source);
    return {reinterpret_cast<T*>(writable(source)), storage_.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> as(Where source = Where::current()) const& {
    require_type<T>(source);
    return {reinterpret_cast<const T*>(storage_.data()), storage_.size() / sizeof(T)};
  }
  void data() && = delete;
  void bytes() && = delete;
  template <class T>
  void as() && = delete;

  // Returns element `i` in row-major order as a double, for every element type. An i64 or u64 beyond 2^53 is
  // rounded. Throws if `i` is out of range.
  double at(int64_t i, Where source = Where::current()) const;
  // Sets element `i`. A floating-point element is rounded to nearest. Throws if `i` is out of range, or if
  // the element type is an integer type and `value` is not a whole number in its range.
  void set(int64_t i, double value, Where source = Where::current());
  // Returns the only element of the tensor as a T. Throws if the tensor does not have exactly one element, or
  // if T is an integer type and the element is not a whole number in its range.
  template <class T>
    requires std::is_arithmetic_v<T>
  T item(Where source = Where::current()) const {
    require_one(source);
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(at(0, source));
    if constexpr (std::is_same_v<T, bool>)
      return whole(0, 1, source) != 0;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(whole(std::is_signed_v<T> ? -1 : 0, sizeof(T) * 8 - std::is_signed_v<T>, source));
  }
  // Returns a copy with the same elements and another shape. Throws if the shape has another number of
  // elements.
  HostTensor reshaped(Shape shape, Where source = Where::current()) const;

  // Exchanges two tensors without copying elements.
  void swap(HostTensor& other) noexcept;

 private:
  friend class HostOwner;
  friend class HostPool;
  friend HostTensor uninitialized(TensorType type, Where source);  // runtime/files/uninitialized.h

  // The bytes of a tensor and their owner (runtime/files/host_storage.h).
  class Storage {
   public:
    Storage() = default;
    // Holds bytes that are given back to `owner`, if it is not null.
    Storage(unsigned char* data, size_t size, HostOwner* owner, bool read_only = false)
        : data_(data), size_(size), owner_(owner), read_only_(read_only) {}
    Storage(Storage&& other) noexcept { swap(other); }
    Storage& operator=(Storage&& other) noexcept;
    ~Storage() {
      if (owner_) give_back();
    }
    const unsigned char* data() const { return data_; }
    size_t size() const { return size_; }
    // Returns the bytes for writing. Must not be called if they are read only.
    unsigned char* writable() { return data_; }
    bool is_read_only() const { return read_only_; }
    const HostOwner* owner() const { return owner_; }
    void swap(Storage& other) noexcept;

   private:
    void give_back() noexcept;
    unsigned char* data_ = nullptr;
    size_t size_ = 0;
    HostOwner* owner_ = nullptr;
    bool read_only_ = false;
  };

  static const TensorType& empty_type();
  // Returns a tensor with undefined bytes, in memory of the pool, or in separate memory if `pool` is null.
  static HostTensor undefined(TensorType type, HostPool* pool, Where source);
  // Returns the bytes for writing. Copies the elements first if they are borrowed.
  unsigned char* writable(Where source) {
    if (storage_.is_read_only()) copy_borrowed(source);
    return storage_.writable();
  }
  void copy_borrowed(Where source);
  void require_elements(uint64_t given, Where source) const;
  void require_one(Where source) const;
  // Returns the only element as an integer, modulo 2^64. Throws if it is not in [-2^bits, 2^bits) for `sign`
  // -1, or not in [0, 2^bits) for `sign` 0.
  uint64_t whole(int sign, unsigned bits, Where source) const;
  template <class T>
  void require_type(Where source) const {
    using E = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<E, uint16_t>) {
      if (dtype() == DType::f16 || dtype() == DType::bf16 || dtype() == DType::u16) return;
      wrong_type("uint16_t", source);
    } else {
      static_assert(Element<E>, "no tensor element type corresponds to this C++ type");
      if (dtype() != dtype_of<E>()) wrong_type(name_of(dtype_of<E>()), source);
    }
  }
  [[noreturn]] void wrong_type(const char* asked, Where source) const;

  TensorType type_;
  Storage storage_;
  bool holds_ = false;  // false: the tensor is empty and type_ is not used, so that a move does not allocate
};

}  // namespace cutset
