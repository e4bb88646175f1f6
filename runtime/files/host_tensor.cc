#include "runtime/files/host_tensor.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "ir/core/check_types.h"
#include "ir/core/half.h"
#include "ir/core/tensor_view.h"

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

// Calls f with a value of the C++ type that corresponds to `type`. Does nothing for f16 and bf16, which have none.
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

}  // namespace

const TensorType& HostTensor::empty_type() {
  static const TensorType empty{DType::f32, {0}};
  return empty;
}

HostTensor::HostTensor(TensorType type, Where where) : type_(std::move(type)) {
  if (Status status = check_type(type_); !status.ok()) throw Error(invalid_argument(status.error().what), where);
  try {
    bytes_.resize(static_cast<size_t>(type_.bytes()));
  } catch (const std::bad_alloc&) {
    throw Error(execution_failed("there is not enough memory for the " + std::to_string(type_.bytes()) + " bytes of " +
                                 to_string(type_)),
                where);
  }
  holds_ = true;
}

HostTensor::HostTensor(TensorType type, std::vector<unsigned char> bytes, Where where)
    : type_(std::move(type)), bytes_(std::move(bytes)) {
  if (Status status = check_type(type_); !status.ok()) throw Error(invalid_argument(status.error().what), where);
  if (static_cast<int64_t>(bytes_.size()) != type_.bytes())
    throw Error(invalid_argument("a tensor " + to_string(type_) + " takes " + std::to_string(type_.bytes()) +
                                 " bytes, and " + std::to_string(bytes_.size()) + " are given"),
                where);
  holds_ = true;
}

double HostTensor::at(int64_t i, Where where) const {
  const auto size = static_cast<uint64_t>(size_of(dtype()));
  if (static_cast<uint64_t>(i) >= bytes_.size() / size)
    throw Error(invalid_argument("element " + std::to_string(i) + " is not one of the " + std::to_string(elements()) +
                                 " elements of " + to_string(type())),
                where);
  const unsigned char* from = bytes_.data() + static_cast<uint64_t>(i) * size;
  if (is_half(dtype())) return from_half(read<uint16_t>(from), dtype());
  if (dtype() == DType::i1) return *from != 0;
  double v = 0;
  dispatch_element(dtype(), [&]<class T>(T) { v = static_cast<double>(read<T>(from)); });
  return v;
}

void HostTensor::set(int64_t i, double value, Where where) {
  (void)at(i, where);  // throws if there is no such element
  unsigned char* to = bytes_.data() + i * size_of(dtype());
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
    throw Error(
        invalid_argument(number(value) + " is not a value of " + name_of(dtype()), "round it, or cast the tensor"),
        where);
}

uint64_t HostTensor::whole(int sign, unsigned bits, Where where) const {
  if (dtype() == DType::u64) {  // at() would round beyond 2^53
    const auto v = read<uint64_t>(bytes_.data());
    if (bits >= 64 || v < uint64_t{1} << bits) return v;
  } else if (dtype() == DType::i64) {
    const auto v = read<int64_t>(bytes_.data());
    if (bits >= 63 ? sign != 0 || v >= 0 : v >= sign * (int64_t{1} << bits) && v < int64_t{1} << bits)
      return static_cast<uint64_t>(v);
  } else {
    const double v = at(0, where), end = std::ldexp(1.0, static_cast<int>(bits));
    if (v == std::trunc(v) && v >= sign * end && v < end)
      return v < 0 ? static_cast<uint64_t>(static_cast<int64_t>(v)) : static_cast<uint64_t>(v);
  }
  throw Error(invalid_argument(
                  "the element is " + number(at(0, where)) + ", which is not a value of the requested integer type",
                  "item<double>() returns it unchanged"),
              where);
}

HostTensor HostTensor::reshaped(Shape shape, Where where) const {
  TensorType type{dtype(), std::move(shape)};
  if (Status valid = check_type(type); !valid.ok()) throw Error(invalid_argument(valid.error().what), where);
  if (type.elements() != elements())
    throw Error(invalid_argument(to_string(this->type()) + " cannot take the shape " + to_string(type.shape) +
                                 ", which has another number of elements"),
                where);
  return HostTensor(std::move(type), bytes_, where);
}

void HostTensor::require_elements(uint64_t given, Where where) const {
  if (given != static_cast<uint64_t>(elements()))
    throw Error(invalid_argument(to_string(type()) + " has " + std::to_string(elements()) + " elements, and " +
                                 std::to_string(given) + " are given"),
                where);
}

void HostTensor::require_one(Where where) const {
  if (elements() != 1)
    throw Error(invalid_argument("item() is for a tensor of one element, and this is " + to_string(type()),
                                 "at(i) gives element i"),
                where);
}

void HostTensor::wrong_type(const char* asked, Where where) const {
  throw Error(invalid_argument(
                  std::string("the tensor is ") + to_string(type()) + ", and its elements cannot be read as " + asked,
                  "at(i) gives an element of any type as a number"),
              where);
}

}  // namespace cutset
