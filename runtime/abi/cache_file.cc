// SPDX-License-Identifier: Apache-2.0
#include "runtime/abi/cache_file.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "ir/core/hash.h"

namespace cutset::abi::inline v2 {

namespace fs = std::filesystem;

fs::path cache_file(const char* variable, const char* subfolder, const std::string& key,
                    const char* extension) {
  fs::path folder;
  if (const char* path = std::getenv(variable))
    folder = path;
  else if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    folder = fs::path(cache) / "cutset" / subfolder;
  else if (const char* home = std::getenv("HOME"); home && *home)
    folder = fs::path(home) / ".cache/cutset" / subfolder;
  if (folder.empty()) return {};
  char name[32];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash_of(key)));
  return folder / (std::string(name) + "." + extension);
}

std::string library_stamp(const void* function) {
  Dl_info library;
  struct stat file;
  if (!dladdr(function, &library) || !library.dli_fname || stat(library.dli_fname, &file) != 0)
    return "unknown library";
  return std::to_string(file.st_size) + " bytes of " + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

}  // namespace cutset::abi::inline v2
