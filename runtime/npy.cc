#include "runtime/npy.h"

#include <charconv>
#include <cstring>

#include "runtime/files.h"

namespace cutset {
namespace {

constexpr char kMagic[] = "\x93NUMPY";

struct Name {
  const char* descr;
  DType dtype;
};
constexpr Name kNames[] = {{"<f4", DType::f32}, {"<f8", DType::f64}, {"<i4", DType::i32}, {"<i8", DType::i64},
                           {"|u1", DType::u8},  {"|i1", DType::i8},  {"|b1", DType::i1}};

// The value of 'key' in the header's dictionary, up to its end; empty where it is not there.
std::string_view member(std::string_view header, const std::string& key) {
  size_t at = header.find("'" + key + "'");
  if (at == std::string_view::npos) return {};
  at = header.find(':', at);
  if (at == std::string_view::npos) return {};
  at = header.find_first_not_of(' ', at + 1);
  return at == std::string_view::npos ? std::string_view() : header.substr(at);
}

}  // namespace

Result<HostTensor> read_npy(const std::string& path) {
  CUTSET_ASSIGN(const std::string text, read_file(path, uint64_t{1} << 36));
  auto bad = [&](const std::string& why) {
    return invalid_data("'" + path + "' " + why, "numpy.save writes what is read here");
  };
  if (text.size() < 10 || text.compare(0, 6, kMagic, 6) != 0) return bad("is no .npy file");
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const uint32_t version = byte(6);
  if (version < 1 || version > 3) return bad("is a .npy file of version " + std::to_string(version));
  const size_t begin = version == 1 ? 10 : 12;
  if (text.size() < begin) return bad("ends in its header");
  const uint64_t length = version == 1
                              ? byte(8) | byte(9) << 8
                              : byte(8) | byte(9) << 8 | byte(10) << 16 | static_cast<uint64_t>(byte(11)) << 24;
  if (length > text.size() - begin)
    return bad("says its header has " + std::to_string(length) + " bytes, more than there are");
  const std::string_view header(text.data() + begin, length);

  TensorType type;
  const std::string_view descr = member(header, "descr");
  bool known = false;
  for (const Name& n : kNames)
    if (descr.substr(0, 5) == "'" + std::string(n.descr) + "'") type.dtype = n.dtype, known = true;
  if (!known) return bad("holds elements of a type that is not read: " + std::string(descr.substr(0, 12)));
  if (member(header, "fortran_order").substr(0, 5) != "False") return bad("is in Fortran order");
  std::string_view shape = member(header, "shape");
  if (shape.empty() || shape[0] != '(' || shape.find(')') == std::string_view::npos) return bad("has no shape");
  shape = shape.substr(1, shape.find(')') - 1);
  while (!shape.empty()) {
    const size_t comma = shape.find(',');
    std::string_view item = shape.substr(0, comma);
    shape = comma == std::string_view::npos ? std::string_view() : shape.substr(comma + 1);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (item.empty() && shape.empty()) break;
    int64_t size = -1;
    const auto parsed = std::from_chars(item.data(), item.data() + item.size(), size);
    if (parsed.ec != std::errc() || parsed.ptr != item.data() + item.size() || size < 0)
      return bad("has a size that is none: '" + std::string(item) + "'");
    type.shape.push_back(size);
  }
  if (Status status = check_type(type); !status.ok()) return bad("has a shape that cannot be: " + status.error().what);
  const uint64_t bytes = text.size() - begin - length;
  if (static_cast<uint64_t>(type.bytes()) != bytes)
    return bad("says it is " + to_string(type) + ", " + std::to_string(type.bytes()) + " bytes, and has " +
               std::to_string(bytes));
  HostTensor tensor(type);
  std::memcpy(tensor.data(), text.data() + begin + length, bytes);
  if (type.dtype == DType::i1)
    for (unsigned char& b : tensor.bytes()) b = b != 0;
  return tensor;
}

Status write_npy(const std::string& path, const HostTensor& tensor) {
  const char* descr = nullptr;
  for (const Name& n : kNames)
    if (n.dtype == tensor.type().dtype) descr = n.descr;
  if (!descr)
    return unsupported(std::string("NumPy has no type for ") + name_of(tensor.type().dtype), "cast it to f32");
  std::string shape;
  for (int64_t d : tensor.type().shape) shape += std::to_string(d) + ",";
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr size_t kPrefix = 10, kAlign = 64;
  header.append((kAlign - (kPrefix + header.size() + 1) % kAlign) % kAlign, ' ');
  header += '\n';
  std::string text(kMagic, 6);
  text += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  text += header;
  text.append(reinterpret_cast<const char*>(tensor.data()), tensor.bytes().size());
  return write_file(path, text);
}

}  // namespace cutset
