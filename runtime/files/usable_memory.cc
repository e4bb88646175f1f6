// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/usable_memory.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

namespace cutset {
namespace {

// Returns the number at the beginning of a file. The file has the word "max" instead if there is no limit.
std::optional<uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

uint64_t memory_within_groups(const std::string& groups, const std::string& root) {
  uint64_t least =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  std::ifstream file(groups);
  // A line is ID:CONTROLLERS:/PATH. The line of version 2 has no controllers.
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",memory,") == std::string::npos) continue;
    // In a container, the path may be the path on the host, and `root` may be the group of the container
    // itself. So all groups up to the root count.
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      const auto limit = number_in(unified ? root + path + "/memory.max"
                                           : root + "/memory" + path + "/memory.limit_in_bytes");
      if (limit) least = std::min(least, *limit);
      if (path.find('/') == std::string::npos) break;
    }
  }
  return least;
}

uint64_t usable_memory_bytes() {
  static const uint64_t bytes = memory_within_groups("/proc/self/cgroup", "/sys/fs/cgroup");
  return bytes;
}

}  // namespace cutset
