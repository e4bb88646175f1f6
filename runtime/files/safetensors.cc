// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/safetensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "runtime/files/checksum.h"
#include "runtime/files/files.h"
#include "runtime/files/safetensors_header.h"
#include "runtime/files/uninitialized.h"

namespace cutset {

namespace {

Failure malformed(const std::string& path, const std::string& why) {
  return invalid_data("'" + path + "' is not a safetensors file: " + why);
}

// Reads the header, up to the data of the file. Fails if the data do not have the size that the header
// implies.
Result<SafetensorsHeader> read_header(InputFile& file) {
  constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit
  auto bad = [&](const std::string& why) { return malformed(file.path(), why); };
  uint64_t length = 0;
  if (file.size() < sizeof length)
    return bad("it has " + std::to_string(file.size()) +
               " bytes, and the length of its header alone takes 8");
  CUTSET_TRY(file.read(&length, sizeof length));
  constexpr std::string_view kZip = "PK\x03\x04";
  if (std::memcmp(&length, kZip.data(), kZip.size()) == 0) {
    Failure zip = bad("it is a ZIP archive, as torch.save() writes it");
    zip.hint = "save the variables with safetensors.torch.save_file(model.state_dict(), FILE)";
    return zip;
  }
  if (length > kMaxHeader || length > file.size() - sizeof length)
    return bad("it claims a header of " + std::to_string(length) + " bytes; " +
               std::to_string(file.size() - sizeof length) + " bytes follow, and the limit is " +
               std::to_string(kMaxHeader));
  std::string text(length, '\0');
  CUTSET_TRY(file.read(text.data(), length));
  auto header = read_safetensors_header(text);
  if (!header) return bad(header.error().what);
  const uint64_t data = file.size() - sizeof length - length,
                 end = header->entries.empty() ? 0 : header->entries.back().end;
  if (end != data)
    return bad("its tensors end at byte " + std::to_string(end) + ", and its data ends at byte " +
               std::to_string(data));
  return header;
}

constexpr char kChecksum[] = "cutset.checksum";

// Returns, as text, the checksum of the names, types and elements of the tensors, and of the metadata except
// kChecksum.
std::string checksum_of(const TensorMap& tensors, const Metadata& metadata) {
  uint32_t sum = 0;
  // Adds the length before each text, so that texts that are divided in another way have another checksum.
  const auto add = [&](std::string_view text) {
    sum = checksum(text, checksum(std::to_string(text.size()) + " ", sum));
  };
  for (const auto& [name, text] : metadata)
    if (name != kChecksum) {
      add(name);
      add(text);
    }
  for (const auto& [name, tensor] : tensors) {
    add(name);
    add(to_string(tensor.type()));
    add({reinterpret_cast<const char*>(tensor.data()), tensor.bytes().size()});
  }
  return std::to_string(sum);
}

}  // namespace

Result<Metadata> read_safetensors_metadata(const std::string& path) {
  CUTSET_ASSIGN(InputFile file, InputFile::open(path));
  CUTSET_ASSIGN(SafetensorsHeader header, read_header(file));
  return std::move(header.metadata);
}

Result<TensorMap> read_safetensors(const std::string& path, Metadata* metadata) {
  CUTSET_ASSIGN(InputFile file, InputFile::open(path));
  CUTSET_ASSIGN(SafetensorsHeader header, read_header(file));
  TensorMap tensors;
  try {
    for (const SafetensorsEntry& e : header.entries) {
      HostTensor t = uninitialized(e.type);
      CUTSET_TRY(file.read(t.data(), t.bytes().size()));
      // Reading a byte that is neither 0 nor 1 as a C++ bool is undefined behaviour.
      if (e.type.dtype == DType::i1 &&
          std::any_of(t.bytes().begin(), t.bytes().end(), [](unsigned char b) { return b > 1; }))
        return malformed(path, "tensor '" + e.name + "' is BOOL and holds a byte that is neither 0 nor 1");
      tensors.emplace(e.name, std::move(t));
    }
  } catch (const std::exception&) {
    return unavailable("'" + path + "' has " + std::to_string(header.entries.back().end) +
                       " bytes of tensors, and there is not enough memory for them");
  }
  if (const auto sum = header.metadata.find(kChecksum);
      sum != header.metadata.end() && sum->second != checksum_of(tensors, header.metadata))
    return invalid_data("'" + path + "' is damaged: the checksum '" + kChecksum +
                        "' of its metadata does not fit its tensors and its other metadata");
  if (metadata) *metadata = std::move(header.metadata);
  return tensors;
}

Status write_safetensors(const std::string& path, const TensorMap& tensors, const Metadata& metadata) {
  nlohmann::json root = nlohmann::json::object();
  root["__metadata__"] = metadata;
  root["__metadata__"][kChecksum] = checksum_of(tensors, metadata);
  std::vector<std::string_view> pieces(2);
  uint64_t at = 0;
  for (const auto& [name, t] : tensors) {
    const char* dtype = safetensors_name(t.type().dtype);
    if (!dtype)
      return unsupported("safetensors files have no element type " + std::string(name_of(t.type().dtype)));
    if (name == "__metadata__")
      return invalid_argument("a tensor cannot be saved under the name '" + name + "'");
    root[name] = {{"dtype", dtype}, {"shape", t.type().shape}, {"data_offsets", {at, at + t.bytes().size()}}};
    pieces.emplace_back(reinterpret_cast<const char*>(t.data()), t.bytes().size());
    at += t.bytes().size();
  }
  std::string header;
  try {
    header = root.dump();
  } catch (const nlohmann::json::type_error&) {
    return invalid_argument("'" + path + "' cannot be written: the name of a tensor is not UTF-8");
  }
  header.append((8 - header.size() % 8) % 8, ' ');  // the data begins aligned
  const uint64_t length = header.size();
  pieces[0] = {reinterpret_cast<const char*>(&length), sizeof length};
  pieces[1] = header;
  return write_file(path, pieces);
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
    return invalid_data("'" + path + "': its metadata '" + kStepName + "' is '" + text +
                        "', not a number of steps");
  step = value;
  return {};
}

}  // namespace cutset
