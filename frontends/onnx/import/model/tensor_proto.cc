// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/tensor_proto.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/errors.h"
#include "frontends/onnx/import/model/external_data.h"
#include "frontends/onnx/messages.h"
#include "ir/core/check_types.h"

namespace cutset::onnx {
bool is_external(const onnx_proto::TensorProto& proto) {
  return proto.data_location() == onnx_proto::TensorProto::EXTERNAL || proto.external_data_size() > 0;
}

namespace {

using Proto = onnx_proto::TensorProto;

// Copies the elements of a list of numbers in the message. `To` is an integer type with the size of an
// element.
template <class To, class List>
void copy(const List& from, std::vector<unsigned char>& to, const std::string& what) {
  if (static_cast<uint64_t>(from.size()) * sizeof(To) != to.size())
    invalid(what + " has " + std::to_string(from.size()) + " elements, but its type needs " +
            std::to_string(to.size() / sizeof(To)));
  for (int i = 0; i < from.size(); ++i) {
    const To element = static_cast<To>(from.Get(i));
    // A list of wider numbers may hold a number that does not fit the element type. The cast would drop its
    // upper bits silently.
    if constexpr (std::is_integral_v<To>)
      if (static_cast<std::decay_t<decltype(from.Get(i))>>(element) != from.Get(i))
        invalid(what + " has the element " + std::to_string(from.Get(i)) + ", which its type cannot hold");
    std::memcpy(to.data() + static_cast<size_t>(i) * sizeof(To), &element, sizeof(To));
  }
}

void copy_elements(const Proto& proto, DType type, std::vector<unsigned char>& to, const std::string& what) {
  if (proto.has_raw_data()) {
    if (proto.raw_data().size() != to.size())
      invalid(what + " has " + std::to_string(proto.raw_data().size()) + " bytes, but its type needs " +
              std::to_string(to.size()));
    std::copy(proto.raw_data().begin(), proto.raw_data().end(),
              to.begin());  // not memcpy, which must not get the null pointer of an empty list
    return;
  }
  switch (type) {
    case DType::f32:
      return copy<float>(proto.float_data(), to, what);
    case DType::f64:
      return copy<double>(proto.double_data(), to, what);
    case DType::i64:
      return copy<int64_t>(proto.int64_data(), to, what);
    case DType::u64:
      return copy<uint64_t>(proto.uint64_data(), to, what);
    case DType::u32:
      return copy<uint32_t>(proto.uint64_data(), to, what);
    case DType::i32:
      return copy<int32_t>(proto.int32_data(), to, what);
    case DType::i16:
      return copy<int16_t>(proto.int32_data(), to, what);
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return copy<uint16_t>(proto.int32_data(), to, what);
    case DType::i8:
      return copy<int8_t>(proto.int32_data(), to, what);
    case DType::u8:
    case DType::i1:
      return copy<uint8_t>(proto.int32_data(), to, what);
  }
}

// Makes a tensor of these bytes. A truth value of a model may be any byte, and in a HostTensor it is 0 or 1.
HostTensor finished(TensorType type, std::vector<unsigned char> bytes) {
  if (type.dtype == DType::i1)
    for (unsigned char& b : bytes) b = b != 0;
  return HostTensor(std::move(type), std::move(bytes));
}

// Returns the bytes of the elements in the message. A tensor of its type needs at most as many bytes.
uint64_t bytes_held(const Proto& p) {
  const auto bytes = [](int count, uint64_t size) { return static_cast<uint64_t>(count) * size; };
  return p.raw_data().size() + bytes(p.float_data_size(), 4) + bytes(p.double_data_size(), 8) +
         bytes(p.int32_data_size(), 4) + bytes(p.int64_data_size(), 8) + bytes(p.uint64_data_size(), 8);
}

// Returns how many of the fields for elements are not empty.
int fields_of_elements(const Proto& p) {
  return p.has_raw_data() + (p.float_data_size() > 0) + (p.double_data_size() > 0) +
         (p.int32_data_size() > 0) + (p.int64_data_size() > 0) + (p.uint64_data_size() > 0) +
         (p.string_data_size() > 0);
}

// Throws if the elements are in a location that cannot be read.
void check_places(const Proto& proto, const std::string& what, const ExternalData* files) {
  const bool external = is_external(proto);
  if (external && !files)
    throw Error(ErrorCode::kUnsupported,
                what + " has its elements in another file, which is not supported here", "",
                "import the model from its file, or save it with its tensors inside");
  if (proto.has_segment()) invalid(what + " is one segment of a tensor");
  // Programs differ in the field that they read, so such a model would give different results in different
  // programs.
  if (fields_of_elements(proto) + external > 1) invalid(what + " has its elements twice");
}

TensorType checked_type(const Proto& proto, DType dtype, const std::string& what) {
  TensorType type{dtype, {proto.dims().begin(), proto.dims().end()}};
  if (const Status status = check_type(type); !status.ok())
    invalid(what + " has an invalid type: " + status.error().text());
  return type;
}

// Reads the `count` bytes of the elements from the other file.
std::vector<unsigned char> external_bytes(const Proto& proto, uint64_t count, const std::string& what,
                                          const ExternalData& files) {
  const ExternalData::Part part = files.open(proto, what);
  if (part.bytes != count)
    invalid(what + " has " + std::to_string(part.bytes) + " bytes in another file, but its type needs " +
            std::to_string(count));
  std::vector<unsigned char> bytes;
  try {
    bytes.resize(static_cast<size_t>(count));
  } catch (const std::exception&) {  // std::bad_alloc or std::length_error
    throw Error(ErrorCode::kFailed, what + " needs more memory than there is", "", "");
  }
  ExternalData::read(part, bytes, what);
  return bytes;
}

}  // namespace

HostTensor host_tensor(const Proto& proto, const std::string& what, const ExternalData* files) {
  check_places(proto, what, files);
  TensorType type = checked_type(proto, dtype_of_onnx(proto.data_type(), what), what);
  const auto count = static_cast<uint64_t>(type.bytes());
  if (is_external(proto)) {
    std::vector<unsigned char> bytes = external_bytes(proto, count, what, *files);
    return finished(std::move(type), std::move(bytes));
  }
  // A list of int32 holds a narrower element in 4 bytes, so a tensor never needs more bytes than the message
  // holds.
  if (count > bytes_held(proto))
    invalid(what + " needs " + std::to_string(type.bytes()) + " bytes, but the message holds fewer");
  std::vector<unsigned char> bytes(static_cast<size_t>(count));
  copy_elements(proto, type.dtype, bytes, what);
  return finished(std::move(type), std::move(bytes));
}

bool has_four_bits(const Proto& proto) {
  return proto.data_type() == Proto::INT4 || proto.data_type() == Proto::UINT4;
}

HostTensor tensor_of_four_bits(const Proto& proto, const std::string& what, const ExternalData* files) {
  check_places(proto, what, files);
  const bool is_signed = proto.data_type() == Proto::INT4;
  const TensorType type = checked_type(proto, is_signed ? DType::i8 : DType::u8, what);
  const uint64_t count = (static_cast<uint64_t>(type.elements()) + 1) / 2;
  std::vector<unsigned char> pairs;
  if (is_external(proto)) {
    pairs = external_bytes(proto, count, what, *files);
  } else {
    if (count > bytes_held(proto))
      invalid(what + " needs " + std::to_string(count) + " bytes, but the message holds fewer");
    pairs.resize(static_cast<size_t>(count));
    copy_elements(proto, DType::u8, pairs, what);
  }
  std::vector<unsigned char> bytes(static_cast<size_t>(type.elements()));
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned four = (pairs[i / 2] >> (4 * (i % 2))) & 15;
    bytes[i] = static_cast<unsigned char>(is_signed && four > 7 ? four + 240 : four);
  }
  return HostTensor(type, std::move(bytes));
}

HostTensor parse_tensor(std::span<const unsigned char> bytes, const std::string& what) {
  Proto proto;
  if (!parse(proto, bytes)) invalid(what + " is not a TensorProto of ONNX");
  return host_tensor(proto, what);
}

}  // namespace cutset::onnx
