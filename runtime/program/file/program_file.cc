// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/file/program_file.h"

#include <cstring>
#include <map>

#include "ir/core/check_types.h"
#include "ir/core/names.h"
#include "runtime/files/checksum.h"
#include "runtime/files/files.h"
#include "runtime/files/usable_memory.h"
#include "runtime/program/check/check_program.h"
#include "runtime/program/file/program_fields.h"

namespace cutset {
namespace {

constexpr char kMagic[8] = {'C', 'U', 'T', 'S', 'E', 'T', 'P', '\n'};

struct Header {
  char magic[8];
  uint32_t version, checksum;
  uint64_t bytes;
};

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  std::string bytes;
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

 private:
  template <Plain T>
  void one(T& v) {
    bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  void one(std::string& s) {
    count(s.size());
    bytes += s;
  }
  void one(std::vector<unsigned char>& v) {
    count(v.size());
    bytes.append(reinterpret_cast<const char*>(v.data()), v.size());
  }
  template <class T>
  void one(std::vector<T>& v) {
    count(v.size());
    for (T& x : v) one(x);
  }
  template <class... T>
  void one(std::variant<T...>& value) {
    auto kind = static_cast<uint8_t>(value.index());
    one(kind);
    std::visit([&](auto& v) { one(v); }, value);
  }
  template <class A, class B>
  void one(std::pair<A, B>& p) {
    one(p.first);
    one(p.second);
  }
  void one(SharedNames& names) {
    InstructionNames copy = names_or_empty(names);
    one(copy);
  }
  template <class T>
  void one(T& v) {
    fields(*this, v);
  }
  void count(uint64_t n) { one(n); }
};

// Reads fields from a body. After the first mistake ok() is false, and the reader reads nothing more. The
// values that it creates take at most kSpareBytes more memory than the body has bytes. An instruction takes
// at least 41 bytes in a file and 136 bytes in memory, so a program may have more than a million
// instructions.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes), memory_left_(bytes.size() + kSpareBytes) {}
  bool ok() const { return ok_; }
  bool too_much() const { return too_much_; }
  bool unknown_kind() const { return unknown_kind_; }
  bool at_end() const { return ok_ && left_.empty(); }
  // Whether memory for `n` elements of `size` bytes may be allocated. Must be called before the allocation.
  bool afford(uint64_t n, uint64_t size) {
    if (n > memory_left_ / size) {
      ok_ = false;
      too_much_ = true;
    }
    if (ok_) memory_left_ -= n * size;
    return ok_;
  }
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

 private:
  static constexpr uint64_t kSpareBytes = uint64_t{192} << 20;
  std::string_view left_;
  uint64_t memory_left_;
  bool ok_ = true, too_much_ = false, unknown_kind_ = false;
  SharedNames names_;  // those that were read last

  std::string_view take(uint64_t n) {
    if (!ok_ || n > left_.size()) {
      ok_ = false;
      return {};
    }
    const auto got = left_.substr(0, n);
    left_.remove_prefix(n);
    return got;
  }
  template <Plain T>
  void one(T& v) {
    if (const auto got = take(sizeof v); ok_) {
      if constexpr (std::is_same_v<T, bool>)
        v = got[0] != 0;
      else
        std::memcpy(&v, got.data(), sizeof v);
    }
  }
  uint64_t count() {
    uint64_t n = 0;
    one(n);
    if (n > left_.size()) ok_ = false;  // an element takes at least one byte
    return ok_ ? n : 0;
  }
  void one(std::string& s) {
    const auto got = take(count());
    if (afford(got.size(), 1)) s = got;
  }
  void one(std::vector<unsigned char>& v) {
    const auto got = take(count());
    if (afford(got.size(), 1)) v.assign(got.begin(), got.end());
  }
  template <class T>
  void one(std::vector<T>& v) {
    uint64_t n = count();
    v.clear();
    if (!afford(n, sizeof(T))) return;
    for (v.reserve(n); n > 0 && ok_; --n) one(v.emplace_back());
  }
  template <class A, class B>
  void one(std::pair<A, B>& p) {
    one(p.first);
    one(p.second);
  }
  template <class... T>
  void one(std::variant<T...>& value) {
    uint8_t kind = 0;
    one(kind);
    read_alternative(value, kind, std::index_sequence_for<T...>());
  }
  template <class Variant, size_t... I>
  void read_alternative(Variant& value, uint8_t kind, std::index_sequence<I...>) {
    const bool is_kind = ((kind == I ? (one(value.template emplace<I>()), true) : false) || ...);
    if (ok_ && !is_kind) {
      ok_ = false;
      unknown_kind_ = true;
    }
  }
  void one(SharedNames& names) {
    InstructionNames read_names;
    one(read_names);
    if (read_names == InstructionNames()) return;
    if (!names_ || *names_ != read_names) {  // instructions that follow one another often belong to one op
      constexpr uint64_t kCounters = 16;     // what a shared pointer holds besides the names
      if (!afford(1, sizeof read_names + kCounters)) return;
      names_ = named(std::move(read_names));
    }
    names = names_;
  }
  template <class T>
  void one(T& v) {
    fields(*this, v);
  }
};

Failure bad_program(const std::string& path, const std::string& why) {
  return invalid_data("saved program '" + path + "': " + why, "make it again with cutset compile");
}

// Reads the header, and the body that it describes. The header is compared with the size of the file before
// memory for the body is allocated.
Result<std::string> read_body(const std::string& path) {
  CUTSET_ASSIGN(InputFile file, InputFile::open(path));
  Header header;
  if (file.size() < sizeof header)
    return bad_program(path, "it is too short: it has " + std::to_string(file.size()) +
                                 " bytes, and its header takes " + std::to_string(sizeof header));
  CUTSET_TRY(file.read(&header, sizeof header));
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return invalid_data(
        "'" + path + "' is not a saved program: it does not begin with the magic number of one",
        "cutset compile makes a saved program of a built-in model or of an ONNX file");
  if (header.version != kProgramFileVersion)
    return bad_program(path, "it is of version " + std::to_string(header.version) +
                                 ", and this Cutset reads version " + std::to_string(kProgramFileVersion));
  const uint64_t bytes = file.size() - sizeof header;
  if (header.bytes != bytes)
    return bad_program(path, "it claims " + std::to_string(header.bytes) +
                                 " bytes after its header and has " + std::to_string(bytes));
  std::string body;
  try {
    if (bytes > usable_memory_bytes()) throw std::bad_alloc();  // resize() may succeed by overcommitment
    body.resize(bytes);
  } catch (const std::exception&) {
    return unavailable("saved program '" + path + "' has " + std::to_string(bytes) +
                           " bytes, and there is not enough memory for them",
                       "run it on a machine with more memory");
  }
  CUTSET_TRY(file.read(body.data(), body.size()));
  if (header.checksum != checksum(body))
    return bad_program(path, "it is damaged: the checksum of its contents is wrong");
  return body;
}

}  // namespace

// Writes the values of the variables as pieces of the file, without a copy in memory.
Status write_program(const std::string& path, const SavedProgramFile& saved) {
  Writer program;
  Program copy = saved.program;
  uint64_t step = saved.step, variables = saved.variables.size();
  program(copy, step, variables);
  std::vector<std::string> heads;  // of the values: the name, the type and the number of bytes
  for (const auto& [name, value] : saved.variables) {
    Writer head;
    std::string n = name;
    TensorType type = value.type();
    uint64_t bytes = value.bytes().size();
    head(n, type, bytes);
    heads.push_back(std::move(head.bytes));
  }
  std::vector<std::string_view> pieces = {{}, program.bytes};  // the first one is the header
  size_t v = 0;
  for (const auto& [name, value] : saved.variables) {
    pieces.push_back(heads[v++]);
    pieces.emplace_back(reinterpret_cast<const char*>(value.data()), value.bytes().size());
  }
  Writer ranges;
  uint64_t count = saved.ranges.size();
  ranges(count);
  for (auto [name, range] : saved.ranges) {
    std::string n = name;
    std::vector<int64_t> padding(range.padding.begin(), range.padding.end());
    ranges(n, range.least, range.below, padding);
  }
  pieces.push_back(ranges.bytes);
  Header header{{}, kProgramFileVersion, 0, 0};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  for (const std::string_view piece : pieces) {
    header.checksum = checksum(piece, header.checksum);
    header.bytes += piece.size();
  }
  pieces[0] = {reinterpret_cast<const char*>(&header), sizeof header};
  return write_file(path, pieces);
}

Result<SavedProgramFile> read_program(const std::string& path) {
  CUTSET_ASSIGN(const std::string body, read_body(path));
  auto bad = [&](const std::string& why) { return bad_program(path, why); };
  SavedProgramFile saved;
  Reader reader(body);
  uint64_t variables = 0;
  reader(saved.program, saved.step, variables);
  if (reader.ok() && variables > saved.program.variables.size())
    return bad("it has " + std::to_string(variables) + " values for " +
               std::to_string(saved.program.variables.size()) + " variables");
  constexpr uint64_t kNode = 64;  // at least what a map holds per element besides the element
  reader.afford(variables, sizeof(TensorMap::value_type) + kNode);
  for (uint64_t v = 0; v < variables && reader.ok(); ++v) {
    std::string name;
    TensorType type;
    std::vector<unsigned char> bytes;
    reader(name, type, bytes);
    if (!reader.ok()) break;
    if (Status status = check_name(name, "a variable"); !status.ok()) return bad(status.error().what);
    Status status = check_type(type);
    if (status.ok()) status = check_bytes(type, bytes);
    if (!status.ok()) return bad("variable '" + name + "': " + status.error().what);
    if (static_cast<int64_t>(bytes.size()) != type.bytes())
      return bad("variable '" + name + "' is of type " + to_string(type) + ", which takes " +
                 std::to_string(type.bytes()) + " bytes, and has " + std::to_string(bytes.size()));
    if (!saved.variables.emplace(name, HostTensor(std::move(type), std::move(bytes))).second)
      return bad("variable '" + name + "' is listed twice");
  }
  uint64_t ranges = 0;
  reader(ranges);
  for (uint64_t r = 0; r < ranges && reader.ok(); ++r) {
    std::string name;
    ValueRange range;
    std::vector<int64_t> padding;
    reader(name, range.least, range.below, padding);
    if (!reader.ok() || !reader.afford(padding.size(), sizeof(int64_t) + kNode)) break;
    range.padding = {padding.begin(), padding.end()};
    if (!reader.ok() || !reader.afford(1, sizeof(ValueRanges::value_type) + kNode)) break;
    if (Status status = check_name(name, "a range"); !status.ok()) return bad(status.error().what);
    if (!(range.least <= range.below)) return bad("the range of '" + name + "' holds no number");
    saved.ranges[name] = range;
  }
  if (reader.too_much()) return bad("its lists would take more memory than its size allows");
  if (reader.unknown_kind()) return bad("it has an attribute or a command of an unknown kind");
  if (!reader.at_end()) return bad("its body ends within a field, or has bytes after its last field");
  if (Status status = check_program(saved.program); !status.ok()) return bad(status.error().what);
  std::map<std::string_view, const TensorType*> types;
  for (const Variable& v : saved.program.variables) types[v.name] = &v.type;
  for (const auto& [name, value] : saved.variables) {
    const auto type = types.find(name);
    if (type == types.end()) return bad("it has a value for '" + name + "', which is no variable of it");
    if (value.type() != *type->second)
      return bad("the value of variable '" + name + "' is of type " + to_string(value.type()) +
                 ", and the variable is " + to_string(*type->second));
  }
  return saved;
}

}  // namespace cutset
