// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/code_cache.h"

#include <cstdint>
#include <cstring>
#include <filesystem>

#include "ir/core/hash.h"
#include "runtime/abi/cache_file.h"
#include "runtime/files/files.h"

namespace cutset::cuda {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = uint64_t{1} << 28;  // no kernel is larger

// The start of a file. The key follows, and then the code. The key is compared, because two keys with the
// same hash have the same file name.
struct Header {
  char magic[8] = {'c', 'u', 't', 's', 'e', 't', 'c', '1'};
  uint64_t key_bytes = 0, code_bytes = 0, code_hash = 0;
};

fs::path file_of(const std::string& key) { return abi::cache_file("CUTSET_CUDA_CACHE", "", key, "cubin"); }

}  // namespace

std::optional<std::string> read_cached_code(const std::string& key) {
  const fs::path path = file_of(key);
  if (path.empty()) return {};
  Header header;
  const Header expected;
  const auto file = read_file(path.string(), sizeof header + key.size() + kMostBytes);
  if (!file.ok() || file->size() < sizeof header) return {};
  std::memcpy(&header, file->data(), sizeof header);
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 || header.key_bytes != key.size() ||
      file->size() - sizeof header < key.size() ||
      header.code_bytes != file->size() - sizeof header - key.size() ||
      file->substr(sizeof header, key.size()) != key)
    return {};
  std::string code = file->substr(sizeof header + key.size());
  if (hash_of(code) != header.code_hash) return {};
  return code;
}

void keep_cached_code(const std::string& key, const std::string& code) {
  const fs::path path = file_of(key);
  if (path.empty()) return;
  Header header;
  header.key_bytes = key.size();
  header.code_bytes = code.size();
  header.code_hash = hash_of(code);
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  // Without the file, the next process compiles again.
  [[maybe_unused]] const cutset::Status written =
      write_file(path.string(), {{reinterpret_cast<const char*>(&header), sizeof header}, key, code});
}

}  // namespace cutset::cuda
