// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "ir/core/check_types.h"

namespace cutset {
namespace {

using nlohmann::json;

struct NameRow {
  DType type;
  const char* name;
};
constexpr NameRow kDtypeNames[] = {
    {DType::f32, "F32"}, {DType::bf16, "BF16"}, {DType::f16, "F16"}, {DType::f64, "F64"}, {DType::i8, "I8"},
    {DType::u8, "U8"},   {DType::i32, "I32"},   {DType::i64, "I64"}, {DType::i1, "BOOL"}, {DType::i16, "I16"},
    {DType::u16, "U16"}, {DType::u32, "U32"},   {DType::u64, "U64"}};

// Receives the events of the JSON parser. A header has this form:
//   {"name": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "__metadata__": {"key": "value"}}
class Handler {
 public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  SafetensorsHeader header;
  std::string problem;

  bool start_object(size_t) {
    if (level_ == Level::kOutside) {
      level_ = Level::kRoot;
      return true;
    }
    if (level_ != Level::kRoot) return unexpected("an object");
    level_ = name_ == "__metadata__" ? Level::kMetadata : Level::kEntry;
    entry_ = {name_, {}, 0, 0};
    members_.clear();
    offsets_ = 0;
    return true;
  }
  bool key(string_t& text) {
    if (level_ == Level::kRoot) {
      name_ = text;
      return names_.insert(text).second || fail("is listed twice");
    }
    member_ = text;
    if (level_ == Level::kMetadata)
      return !header.metadata.contains(text) || fail("has the member '" + text + "' twice");
    if (text != "dtype" && text != "shape" && text != "data_offsets")
      return fail("has an unknown member '" + text + "'");
    return members_.insert(text).second || fail("has the member '" + text + "' twice");
  }
  bool end_object() {
    if (level_ == Level::kEntry && !complete()) return false;
    level_ = level_ == Level::kRoot ? Level::kOutside : Level::kRoot;
    return true;
  }
  bool start_array(size_t) {
    if (level_ != Level::kEntry || member_ == "dtype") return unexpected("a list");
    level_ = Level::kList;
    return true;
  }
  bool end_array() {
    level_ = Level::kEntry;
    return true;
  }
  bool string(string_t& text) {
    if (level_ == Level::kMetadata) {
      header.metadata.emplace(member_, text);
      return true;
    }
    if (level_ != Level::kEntry || member_ != "dtype") return unexpected("a text");
    auto row = std::find_if(std::begin(kDtypeNames), std::end(kDtypeNames),
                            [&](const NameRow& r) { return text == r.name; });
    if (row == std::end(kDtypeNames)) return fail("has an unknown dtype");
    entry_.type.dtype = row->type;
    return true;
  }
  bool number_unsigned(number_unsigned_t n) {
    if (level_ != Level::kList) return unexpected("a number");
    if (member_ == "shape") {
      if (entry_.type.shape.size() >= kMaxRank) return fail("has a shape of more than 8 sizes");
      if (n > uint64_t{1} << 47)
        return fail("has the size " + std::to_string(n) + ", more than the limit of 2^47");
      entry_.type.shape.push_back(static_cast<int64_t>(n));
    } else {
      if (offsets_ == 2) return fail("has more than two data_offsets");
      (offsets_++ ? entry_.end : entry_.begin) = n;
    }
    return true;
  }
  bool number_integer(number_integer_t) { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) { return unexpected("a fraction"); }
  bool boolean(bool) { return unexpected("a truth value"); }
  bool null() { return unexpected("null"); }
  bool binary(binary_t&) { return unexpected("binary data"); }
  bool parse_error(size_t at, const std::string&, const json::exception&) {
    problem = "its header is not a JSON object: the error is at byte " + std::to_string(at);
    return false;
  }

 private:
  enum class Level { kOutside, kRoot, kMetadata, kEntry, kList };

  bool fail(const std::string& what) {
    problem = "tensor '" + name_ + "' " + what;
    return false;
  }
  bool unexpected(const std::string& what) {
    if (level_ == Level::kOutside) {
      problem = "its header is not a JSON object";
      return false;
    }
    return fail("has " + what + " where the format allows none");
  }
  bool complete() {
    if (members_.size() != 3 || offsets_ != 2) return fail("needs dtype, shape and two data_offsets");
    if (auto ok = check_type(entry_.type); !ok) return fail("has an invalid type: " + ok.error().what);
    if (entry_.end < entry_.begin || entry_.end - entry_.begin != static_cast<uint64_t>(entry_.type.bytes()))
      return fail("has data_offsets that do not span the " + std::to_string(entry_.type.bytes()) +
                  " bytes of " + to_string(entry_.type));
    header.entries.push_back(std::move(entry_));
    return true;
  }

  Level level_ = Level::kOutside;
  std::string name_, member_;
  std::set<std::string> names_, members_;
  SafetensorsEntry entry_;
  int offsets_ = 0;
};

}  // namespace

const char* safetensors_name(DType type) {
  for (const NameRow& r : kDtypeNames)
    if (r.type == type) return r.name;
  return nullptr;
}

Result<SafetensorsHeader> read_safetensors_header(std::string_view text) {
  Handler handler;
  if (!json::sax_parse(text.begin(), text.end(), &handler)) return invalid_data(handler.problem);
  auto& entries = handler.header.entries;
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t at = 0;
  for (const SafetensorsEntry& e : entries) {
    if (e.begin != at)
      return invalid_data("the data of '" + e.name + "' " +
                          (e.begin < at ? "overlaps another tensor's" : "leaves a hole before it"));
    at = e.end;
  }
  return std::move(handler.header);
}

}  // namespace cutset
