// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/npy.h"

#include <charconv>
#include <cstring>
#include <map>
#include <new>
#include <vector>

#include "ir/core/check_types.h"
#include "runtime/files/files.h"
#include "runtime/files/uninitialized.h"
#include "runtime/files/usable_memory.h"

namespace cutset {
namespace {

constexpr char kMagic[] = "\x93NUMPY";

struct Name {
  const char* descr;
  const char* name;
  DType dtype;
};
constexpr Name kNames[] = {
    {"<f2", "float16", DType::f16}, {"<f4", "float32", DType::f32}, {"<f8", "float64", DType::f64},
    {"|i1", "int8", DType::i8},     {"<i2", "int16", DType::i16},   {"<i4", "int32", DType::i32},
    {"<i8", "int64", DType::i64},   {"|u1", "uint8", DType::u8},    {"<u2", "uint16", DType::u16},
    {"<u4", "uint32", DType::u32},  {"<u8", "uint64", DType::u64},  {"|b1", "bool", DType::i1}};

// Parses the header, a Python dictionary of strings, booleans and tuples of numbers, and returns the text of
// every value by its key. For example, 'descr': '<f4' becomes descr -> '<f4', with the quotes. Returns an
// empty map if the header is not such a dictionary or if a key occurs twice.
std::map<std::string_view, std::string_view> members(std::string_view header) {
  size_t at = 0;
  auto skip = [&] { at = std::min(header.find_first_not_of(" \t\n", at), header.size()); };
  auto quoted = [&]() -> std::string_view {  // a string with its quotes; empty if there is none at `at`
    if (at >= header.size() || (header[at] != '\'' && header[at] != '"')) return {};
    const size_t end = header.find(header[at], at + 1);
    if (end == std::string_view::npos) return {};
    const std::string_view text = header.substr(at, end + 1 - at);
    at = end + 1;
    return text;
  };
  std::map<std::string_view, std::string_view> found;
  skip();
  if (at >= header.size() || header[at++] != '{') return {};
  for (;;) {
    skip();
    if (at < header.size() && header[at] == '}') break;
    std::string_view key = quoted();
    skip();
    if (key.size() < 2 || at >= header.size() || header[at++] != ':') return {};
    key = key.substr(1, key.size() - 2);
    skip();
    const size_t begin = at;
    if (quoted().empty()) {
      if (at < header.size() && header[at] == '(') at = std::min(header.find(')', at), header.size());
      at = std::min(header.find_first_of(",}", at), header.size());
    }
    if (!found.emplace(key, header.substr(begin, at - begin)).second) return {};
    skip();
    if (at < header.size() && header[at] == ',')
      ++at;
    else if (at >= header.size() || header[at] != '}')
      return {};
  }
  ++at;
  skip();
  return at == header.size() ? found : std::map<std::string_view, std::string_view>();
}

// Copies elements whose first index varies fastest, the Fortran order, to row-major order.
void copy_from_fortran_order(const unsigned char* from, HostTensor& to) {
  const Shape& shape = to.shape();
  const size_t size = to.bytes().size() / static_cast<size_t>(to.elements());
  std::vector<size_t> stride(shape.size(), size), index(shape.size(), 0);  // `stride` counts bytes of `to`
  for (size_t d = shape.size(); d-- > 1;) stride[d - 1] = stride[d] * static_cast<size_t>(shape[d]);
  unsigned char* at = to.data();
  for (int64_t i = 0; i < to.elements(); ++i, from += size) {
    std::memcpy(at, from, size);
    for (size_t d = 0; d < shape.size(); ++d) {
      at += stride[d];
      if (++index[d] < static_cast<size_t>(shape[d])) break;
      at -= stride[d] * index[d];
      index[d] = 0;
    }
  }
}

Failure malformed_npy(const std::string& path, const std::string& why) {
  return invalid_data("'" + path + "' " + why, "write the file again with numpy.save");
}

struct NpyHeader {
  std::string text;
  uint64_t data_bytes;  // the bytes of the data after the header
};

// Reads the magic number, the version and the text of the header. The next bytes of the file are its data.
Result<NpyHeader> read_npy_header(InputFile& file) {
  auto bad = [&](const std::string& why) { return malformed_npy(file.path(), why); };
  unsigned char begin[12] = {};
  if (file.size() < 10) return bad("is not a .npy file: it does not begin with the format's magic number");
  CUTSET_TRY(file.read(begin, 10));
  if (std::memcmp(begin, kMagic, 6) != 0)
    return bad("is not a .npy file: it does not begin with the format's magic number");
  const uint32_t version = begin[6];
  if (version < 1 || version > 3)
    return bad("is a .npy file of version " + std::to_string(version) +
               "; only versions 1 to 3 are supported");
  const size_t size = version == 1 ? 10 : 12;
  if (file.size() < size) return bad("ends within its header");
  CUTSET_TRY(file.read(begin + 10, size - 10));
  uint64_t length = 0;
  for (size_t i = size; i-- > 8;) length = length << 8 | begin[i];
  if (length > file.size() - size)
    return bad("claims a header of " + std::to_string(length) + " bytes, and " +
               std::to_string(file.size() - size) + " bytes follow");
  NpyHeader header{std::string(length, '\0'), file.size() - size - length};
  CUTSET_TRY(file.read(header.text.data(), length));
  return header;
}

// Parses a tuple of sizes, such as "(2, 3)".
Result<Shape> parse_shape(const std::string& path, std::string_view text) {
  auto bad = [&](const std::string& why) { return malformed_npy(path, why); };
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return bad("has no shape");
  text = text.substr(1, text.size() - 2);
  Shape shape;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (item.empty() && text.empty()) break;
    int64_t size = -1;
    const auto parsed = std::from_chars(item.data(), item.data() + item.size(), size);
    if (parsed.ec != std::errc() || parsed.ptr != item.data() + item.size() || size < 0)
      return bad("has '" + std::string(item) + "' as the size of dimension " + std::to_string(shape.size()) +
                 ", which is not a whole number of 0 or more");
    shape.push_back(size);
  }
  return shape;
}

struct Array {
  TensorType type;
  bool fortran_order = false;
};

Result<Array> parse_header(const std::string& path, std::string_view text) {
  auto bad = [&](const std::string& why) { return malformed_npy(path, why); };
  const auto header = members(text);
  auto member = [&](std::string_view key) {
    auto it = header.find(key);
    return it == header.end() ? std::string_view() : it->second;
  };
  if (header.empty()) return bad("has a header that is not a dictionary of descr, fortran_order and shape");
  Array array;
  const std::string_view descr = member("descr");
  bool supported = false;
  for (const Name& n : kNames)
    if (descr.size() == 5 && descr.substr(1, 3) == n.descr) {
      array.type.dtype = n.dtype;
      supported = true;
    }
  if (!supported)
    return invalid_data(
        "'" + path + "' holds elements of an unsupported type: " + std::string(descr.substr(0, 12)),
        "convert the array, with numpy: x.astype('float32')");
  array.fortran_order = member("fortran_order") == "True";
  if (!array.fortran_order && member("fortran_order") != "False")
    return bad("has a header whose fortran_order is neither True nor False");
  CUTSET_ASSIGN(array.type.shape, parse_shape(path, member("shape")));
  if (Status status = check_type(array.type); !status.ok())
    return bad("has an invalid shape: " + status.error().what);
  return array;
}

// Reads the data. Their size must match the type.
Result<HostTensor> read_elements(InputFile& file, const Array& array) {
  HostTensor tensor = uninitialized(array.type);
  const size_t bytes = tensor.bytes().size();
  if (bytes && array.fortran_order) {
    HostTensor columns = uninitialized(array.type);
    CUTSET_TRY(file.read(columns.data(), bytes));
    copy_from_fortran_order(columns.data(), tensor);
  } else {
    CUTSET_TRY(file.read(tensor.data(), bytes));
  }
  if (array.type.dtype == DType::i1)
    for (unsigned char& b : tensor.bytes()) b = b != 0;
  return tensor;
}

}  // namespace

Result<HostTensor> read_npy(const std::string& path) {
  constexpr uint64_t kLimit = uint64_t{1} << 36;
  CUTSET_ASSIGN(InputFile file, InputFile::open(path));
  if (file.size() > kLimit)
    return invalid_data("'" + path + "' has " + std::to_string(file.size()) +
                        " bytes, more than the limit of " + std::to_string(kLimit));
  try {
    if (file.size() > usable_memory_bytes())
      throw std::bad_alloc();  // with overcommitment, an allocation may succeed without enough memory
    CUTSET_ASSIGN(const NpyHeader header, read_npy_header(file));
    CUTSET_ASSIGN(const Array array, parse_header(path, header.text));
    if (static_cast<uint64_t>(array.type.bytes()) != header.data_bytes)
      return malformed_npy(path, "has " + std::to_string(header.data_bytes) +
                                     " bytes of data, and its header says " + to_string(array.type) +
                                     ", which takes " + std::to_string(array.type.bytes()));
    return read_elements(file, array);
  } catch (const std::exception&) {
    return unavailable("'" + path + "' has " + std::to_string(file.size()) +
                       " bytes, and there is not enough memory for them");
  }
}

Status write_npy(const std::string& path, const HostTensor& tensor) {
  const char* descr = nullptr;
  for (const Name& n : kNames)
    if (n.dtype == tensor.type().dtype) descr = n.descr;
  if (!descr)
    return unsupported(std::string("NumPy has no element type ") + name_of(tensor.type().dtype),
                       "cast it to f32");
  std::string shape;
  for (int64_t d : tensor.type().shape) shape += std::to_string(d) + ",";
  std::string header =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr size_t kPrefix = 10, kAlign = 64;
  header.append((kAlign - (kPrefix + header.size() + 1) % kAlign) % kAlign, ' ');
  header += '\n';
  std::string begin(kMagic, 6);
  begin += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  begin += header;
  return write_file(path, {begin, {reinterpret_cast<const char*>(tensor.data()), tensor.bytes().size()}});
}

const char* numpy_name(DType dtype) {
  for (const Name& n : kNames)
    if (n.dtype == dtype) return n.name;
  return nullptr;
}

}  // namespace cutset
