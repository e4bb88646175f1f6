// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/folder_entries.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace cutset {

std::string entries_of(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    names.push_back(at->path().filename().string());
  if (failed) return "cannot be listed: " + failed.message();
  if (names.empty()) return "is empty";
  constexpr size_t kNamed = 3;
  std::sort(names.begin(), names.end());
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
    const bool last = i > 0 && i + 1 == names.size();
    text += (i == 0 ? "has '" : last ? " and '" : ", '") + names[i] + "'";
  }
  return names.size() > kNamed ? text + " and " + std::to_string(names.size() - kNamed) + " more" : text;
}

}  // namespace cutset
