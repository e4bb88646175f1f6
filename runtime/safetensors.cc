#include "runtime/safetensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime/files.h"

namespace cutset {
namespace {

using nlohmann::json;
constexpr uint64_t kMaxHeader = 100'000'000;

struct NameRow {
  DType type;
  const char* name;
};
constexpr NameRow kNames[] = {{DType::f32, "F32"}, {DType::bf16, "BF16"}, {DType::f16, "F16"},
                              {DType::f64, "F64"}, {DType::i8, "I8"},     {DType::u8, "U8"},
                              {DType::i32, "I32"}, {DType::i64, "I64"},   {DType::i1, "BOOL"}};

struct Range {
  std::string name;
  TensorType type;
  uint64_t begin, end;
};

Result<Range> read_entry(const std::string& name, const json& entry) {
  auto bad = [&](const std::string& why) { return invalid_data("tensor '" + name + "': " + why); };
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets"))
    return bad("needs dtype, shape and data_offsets");
  const json &dtype = entry["dtype"], &shape = entry["shape"], &offsets = entry["data_offsets"];
  auto row = std::find_if(std::begin(kNames), std::end(kNames), [&](const NameRow& r) {
    return dtype.is_string() && dtype.get_ref<const std::string&>() == r.name;
  });
  if (row == std::end(kNames)) return bad("unknown dtype");
  Range range{name, {row->type, {}}, 0, 0};
  if (!shape.is_array() || shape.size() > kMaxRank) return bad("the shape is not a list of at most 8 sizes");
  for (const json& d : shape) {
    if (!d.is_number_unsigned() || d.get<uint64_t>() > uint64_t{1} << 47) return bad("a size is not a number in range");
    range.type.shape.push_back(d.get<int64_t>());
  }
  if (auto ok = check_type(range.type); !ok) return bad(ok.error().what);
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned())
    return bad("data_offsets are not two numbers");
  range.begin = offsets[0].get<uint64_t>(), range.end = offsets[1].get<uint64_t>();
  if (range.end < range.begin || range.end - range.begin != static_cast<uint64_t>(range.type.bytes()))
    return bad("data_offsets do not span the " + std::to_string(range.type.bytes()) + " bytes of " +
               to_string(range.type));
  return range;
}

}  // namespace

Result<TensorMap> read_safetensors(const std::string& path, Metadata* metadata) {
  CUTSET_ASSIGN(const std::string file, read_file(path));
  auto bad = [&](const std::string& why) { return invalid_data("'" + path + "' is not a safetensors file: " + why); };
  uint64_t header = 0;
  if (file.size() < 8) return bad("it has " + std::to_string(file.size()) + " bytes");
  std::memcpy(&header, file.data(), 8);
  if (header > kMaxHeader || header > file.size() - 8)
    return bad("its header claims " + std::to_string(header) + " bytes");
  const json root = json::parse(file.data() + 8, file.data() + 8 + header, nullptr, false);
  if (root.is_discarded() || !root.is_object()) return bad("its header is not a JSON object");
  std::vector<Range> ranges;
  for (const auto& [name, entry] : root.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object()) return bad("__metadata__ is not an object");
      for (const auto& [key, text] : entry.items()) {
        if (!text.is_string()) return bad("__metadata__ '" + key + "' is not a text");
        if (metadata) metadata->emplace(key, text.get<std::string>());
      }
      continue;
    }
    auto range = read_entry(name, entry);
    if (!range) return bad(range.error().what);
    ranges.push_back(*std::move(range));
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  uint64_t at = 0;
  for (const Range& r : ranges) {
    if (r.begin != at)
      return bad("the data of '" + r.name + "' " +
                 (r.begin < at ? "overlaps another tensor's" : "leaves a hole before it"));
    at = r.end;
  }
  if (at != file.size() - 8 - header)
    return bad("its tensors end at byte " + std::to_string(at) + ", its data at " +
               std::to_string(file.size() - 8 - header));
  TensorMap tensors;
  for (const Range& r : ranges) {
    HostTensor t(r.type);
    if (!t.bytes().empty()) std::memcpy(t.data(), file.data() + 8 + header + r.begin, t.bytes().size());
    tensors.emplace(r.name, std::move(t));
  }
  return tensors;
}

Status write_safetensors(const std::string& path, const TensorMap& tensors, const Metadata& metadata) {
  json root = json::object();
  if (!metadata.empty()) root["__metadata__"] = metadata;
  uint64_t at = 0;
  for (const auto& [name, t] : tensors) {
    auto row =
        std::find_if(std::begin(kNames), std::end(kNames), [&](const NameRow& r) { return r.type == t.type().dtype; });
    root[name] = {{"dtype", row->name}, {"shape", t.type().shape}, {"data_offsets", {at, at + t.bytes().size()}}};
    at += t.bytes().size();
  }
  std::string header = root.dump();
  header.append((8 - header.size() % 8) % 8, ' ');  // the data begins aligned
  const uint64_t size = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &size, 8);
  file += header;
  for (const auto& [name, t] : tensors) file.append(reinterpret_cast<const char*>(t.data()), t.bytes().size());
  return write_file(path, file);
}

static constexpr const char* kStepName = "cutset.step";

Metadata step_metadata(uint64_t step) { return {{kStepName, std::to_string(step)}}; }

Status read_step(const std::string& path, const Metadata& metadata, uint64_t& step) {
  auto it = metadata.find(kStepName);
  if (it == metadata.end()) return {};
  const std::string& text = it->second;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > uint64_t{1} << 62)
    return invalid_data("'" + path + "': its metadata '" + kStepName + "' is '" + text + "', not a number of steps");
  step = value;
  return {};
}

}  // namespace cutset
