// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/host_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "ir/core/check_types.h"
#include "ir/core/half.h"
#include "ir/core/tensor_view.h"
#include "runtime/files/host_pool.h"
#include "runtime/files/host_storage.h"

namespace cutset {
namespace {

template <class T>
T read(const unsigned char* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
template <class T>
void write(unsigned char* at, T v) {
  std::memcpy(at, &v, sizeof v);
}

// Calls f with a value of the C++ type that corresponds to `type`. Does nothing for f16 and bf16, which have
// no C++ type.
template <class F>
void dispatch_element(DType type, F&& f) {
  if (type == DType::i8)
    f(int8_t{});
  else
    (void)dispatch_all(type, f);
}

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

using Where = HostTensor::Where;

void require_valid(const TensorType& type, Where source) {
  if (Status status = check_type(type); !status.ok())
    throw Error(invalid_argument(status.error().what), source);
}

void require_size(const TensorType& type, size_t bytes, Where source) {
  if (bytes != static_cast<size_t>(type.bytes()))
    throw Error(invalid_argument("a tensor " + to_string(type) + " takes " + std::to_string(type.bytes()) +
                                 " bytes, and " + std::to_string(bytes) + " are given"),
                source);
}

// Throws if a byte is neither 0 nor 1, because ops compute with the bytes of truth values.
void require_booleans(const TensorType& type, std::span<const unsigned char> bytes, Where source) {
  if (type.dtype != DType::i1) return;
  const auto bad = std::ranges::find_if(bytes, [](unsigned char b) { return b > 1; });
  if (bad == bytes.end()) return;
  throw Error(
      invalid_argument("element " + std::to_string(bad - bytes.begin()) + " of a tensor " + to_string(type) +
                           " is the byte " + std::to_string(*bad) + ", and must be 0 or 1",
                       "write 1 for true"),
      source);
}

// Allocates memory with undefined bytes for a tensor of a valid type.
HostStorage allocate(const TensorType& type, HostPool* pool, Where source) {
  const auto bytes = static_cast<size_t>(type.bytes());
  try {
    return pool ? pool->take(bytes) : allocate_storage(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(execution_failed("there is not enough memory for the " + std::to_string(type.bytes()) +
                                 " bytes of " + to_string(type)),
                source);
  }
}

}  // namespace

const TensorType& HostTensor::empty_type() {
  static const TensorType empty{DType::f32, {0}};
  return empty;
}

HostTensor::Storage& HostTensor::Storage::operator=(Storage&& other) noexcept {
  Storage(std::move(other)).swap(*this);
  return *this;
}
void HostTensor::Storage::swap(Storage& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(owner_, other.owner_);
  std::swap(read_only_, other.read_only_);
}
void HostTensor::Storage::give_back() noexcept { owner_->release(data_, size_); }

HostTensor HostTensor::undefined(TensorType type, HostPool* pool, Where source) {
  require_valid(type, source);
  HostTensor tensor;
  tensor.storage_ = allocate(type, pool, source);
  tensor.type_ = std::move(type);
  tensor.holds_ = true;
  return tensor;
}

HostTensor::HostTensor(TensorType type, Where source)
    : HostTensor(undefined(std::move(type), nullptr, source)) {
  if (storage_.size()) std::memset(storage_.writable(), 0, storage_.size());
}

HostTensor::HostTensor(TensorType type, std::vector<unsigned char> bytes, Where source) {
  require_valid(type, source);
  require_size(type, bytes.size(), source);
  require_booleans(type, bytes, source);
  storage_ = take_over_storage(std::move(bytes));
  type_ = std::move(type);
  holds_ = true;
}

HostTensor HostTensor::borrow(TensorType type, std::span<const unsigned char> bytes,
                              std::shared_ptr<const void> owner, Where source) {
  require_valid(type, source);
  require_size(type, bytes.size(), source);
  if (const auto alignment = static_cast<uintptr_t>(size_of(type.dtype));
      reinterpret_cast<uintptr_t>(bytes.data()) % alignment != 0)
    throw Error(invalid_argument("a tensor " + to_string(type) +
                                     " cannot borrow memory whose address is not a multiple of " +
                                     std::to_string(alignment) + ", the size of an element",
                                 "copy the elements: HostTensor(type) makes a tensor for them"),
                source);
  require_booleans(type, bytes, source);
  HostTensor tensor;
  tensor.storage_ = borrow_storage(bytes.data(), bytes.size(), std::move(owner));
  tensor.type_ = std::move(type);
  tensor.holds_ = true;
  return tensor;
}

HostTensor& HostTensor::operator=(HostTensor&& other) noexcept {
  HostTensor(std::move(other)).swap(*this);
  return *this;
}
void HostTensor::swap(HostTensor& other) noexcept {
  std::swap(type_, other.type_);
  storage_.swap(other.storage_);
  std::swap(holds_, other.holds_);
}

TensorType HostTensor::type() && { return holds_ ? type_ : empty_type(); }
Shape HostTensor::shape() && { return type().shape; }
std::span<unsigned char> HostTensor::bytes(Where source) & { return {writable(source), storage_.size()}; }
std::span<const unsigned char> HostTensor::bytes() const& { return {storage_.data(), storage_.size()}; }

HostTensor::HostTensor(const HostTensor& other)
    : type_(other.type_), storage_(allocate_storage(other.storage_.size())), holds_(other.holds_) {
  if (storage_.size()) std::memcpy(storage_.writable(), other.storage_.data(), storage_.size());
}

HostTensor& HostTensor::operator=(const HostTensor& other) {
  if (storage_.is_read_only() || storage_.size() != other.storage_.size()) {
    HostTensor(other).swap(*this);
    return *this;
  }
  TensorType type = other.type_;  // the only statement that may throw
  if (storage_.size()) std::memmove(storage_.writable(), other.storage_.data(), storage_.size());
  type_ = std::move(type);
  holds_ = other.holds_;
  return *this;
}

bool HostTensor::operator==(const HostTensor& other) const {
  return type() == other.type() &&
         (storage_.size() == 0 || std::memcmp(storage_.data(), other.storage_.data(), storage_.size()) == 0);
}

void HostTensor::copy_borrowed(Where source) {
  HostStorage copy = allocate(type_, nullptr, source);
  if (copy.size()) std::memcpy(copy.writable(), storage_.data(), copy.size());
  storage_ = std::move(copy);
}

double HostTensor::at(int64_t i, Where source) const {
  const auto size = static_cast<uint64_t>(size_of(dtype()));
  if (static_cast<uint64_t>(i) >= storage_.size() / size)
    throw Error(invalid_argument("element " + std::to_string(i) + " is not one of the " +
                                 std::to_string(elements()) + " elements of " + to_string(type())),
                source);
  const unsigned char* from = storage_.data() + static_cast<uint64_t>(i) * size;
  if (is_half(dtype())) return from_half(read<uint16_t>(from), dtype());
  if (dtype() == DType::i1) return *from != 0;
  double v = 0;
  dispatch_element(dtype(), [&]<class T>(T) { v = static_cast<double>(read<T>(from)); });
  return v;
}

void HostTensor::set(int64_t i, double value, Where source) {
  (void)at(i, source);  // throws if there is no such element
  unsigned char* to = writable(source) + i * size_of(dtype());
  if (is_half(dtype())) return write(to, to_half(value, dtype()));
  bool fits = true;
  dispatch_element(dtype(), [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) return write(to, static_cast<T>(value));
    constexpr int bits = std::numeric_limits<T>::digits;
    const double end = std::ldexp(1.0, bits), low = std::is_signed_v<T> ? -end : 0;
    fits = value == std::trunc(value) && value >= low && value < end;
    if (fits) write(to, static_cast<T>(value));
  });
  if (!fits)
    throw Error(invalid_argument(number(value) + " is not a value of " + name_of(dtype()),
                                 "round it, or cast the tensor"),
                source);
}

uint64_t HostTensor::whole(int sign, unsigned bits, Where source) const {
  if (dtype() == DType::u64) {  // at() would round beyond 2^53
    const auto v = read<uint64_t>(storage_.data());
    if (bits >= 64 || v < uint64_t{1} << bits) return v;
  } else if (dtype() == DType::i64) {
    const auto v = read<int64_t>(storage_.data());
    if (bits >= 63 ? sign != 0 || v >= 0 : v >= sign * (int64_t{1} << bits) && v < int64_t{1} << bits)
      return static_cast<uint64_t>(v);
  } else {
    const double v = at(0, source), end = std::ldexp(1.0, static_cast<int>(bits));
    if (v == std::trunc(v) && v >= sign * end && v < end)
      return v < 0 ? static_cast<uint64_t>(static_cast<int64_t>(v)) : static_cast<uint64_t>(v);
  }
  throw Error(invalid_argument("the element is " + number(at(0, source)) +
                                   ", which is not a value of the requested integer type",
                               "item<double>() returns it unchanged"),
              source);
}

HostTensor HostTensor::reshaped(Shape shape, Where source) const {
  TensorType type{dtype(), std::move(shape)};
  if (Status valid = check_type(type); !valid.ok()) throw Error(invalid_argument(valid.error().what), source);
  if (type.elements() != elements())
    throw Error(invalid_argument(to_string(this->type()) + " cannot take the shape " + to_string(type.shape) +
                                 ", which has another number of elements"),
                source);
  HostTensor tensor = *this;
  tensor.type_ = std::move(type);
  tensor.holds_ = true;
  return tensor;
}

void HostTensor::require_elements(uint64_t given, Where source) const {
  if (given != static_cast<uint64_t>(elements()))
    throw Error(invalid_argument(to_string(type()) + " has " + std::to_string(elements()) +
                                 " elements, and " + std::to_string(given) + " are given"),
                source);
}

void HostTensor::require_one(Where source) const {
  if (elements() != 1)
    throw Error(invalid_argument("item() is for a tensor of one element, and this is " + to_string(type()),
                                 "at(i) gives element i"),
                source);
}

void HostTensor::wrong_type(const char* asked, Where source) const {
  throw Error(invalid_argument(std::string("the tensor is ") + to_string(type()) +
                                   ", and its elements cannot be read as " + asked,
                               "at(i) gives an element of any type as a number"),
              source);
}

}  // namespace cutset
