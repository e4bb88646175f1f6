#include "backends/cuda/code_cache.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "runtime/abi/cache_file.h"

namespace cutset::cuda {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = uint64_t{1} << 28;  // no kernel is larger

// The start of a file. The key follows, and then the code. Two keys with the same hash have the same file name, so the
// key is compared.
struct Header {
  char magic[8] = {'c', 'u', 't', 's', 'e', 't', 'c', '1'};
  uint64_t key_bytes = 0, code_bytes = 0, code_hash = 0;
};

fs::path file_of(const std::string& key) { return abi::cache_file("CUTSET_CUDA_CACHE", "", key, "cubin"); }

}  // namespace

std::optional<std::string> read_cached_code(const std::string& key) {
  const fs::path path = file_of(key);
  if (path.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  Header header;
  const Header expected;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::string(header.magic, 8) != std::string(expected.magic, 8) || header.key_bytes != key.size() ||
      header.code_bytes > kMostBytes)
    return {};
  std::string stored(header.key_bytes, '\0'), code(header.code_bytes, '\0');
  if (!file.read(stored.data(), static_cast<std::streamsize>(stored.size())) || stored != key) return {};
  if (!file.read(code.data(), static_cast<std::streamsize>(code.size())) || abi::hash_of(code) != header.code_hash)
    return {};
  return code;
}

void keep_cached_code(const std::string& key, const std::string& code) {
  const fs::path path = file_of(key);
  if (path.empty()) return;
  static std::atomic<int> count{0};
  fs::path part = path;
  part += "." + std::to_string(getpid()) + "." + std::to_string(++count);
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  {
    std::ofstream file(part, std::ios::binary);
    Header header;
    header.key_bytes = key.size(), header.code_bytes = code.size(), header.code_hash = abi::hash_of(code);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file << key << code;
    if (!file.flush()) {
      fs::remove(part, failed);
      return;
    }
  }
  fs::rename(part, path, failed);
  if (failed) fs::remove(part, failed);
}

}  // namespace cutset::cuda
