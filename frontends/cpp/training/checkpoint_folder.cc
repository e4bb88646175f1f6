// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/checkpoint_folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "frontends/cpp/checks/failure.h"
#include "runtime/files/files.h"

namespace cutset {
namespace {

namespace fs = std::filesystem;

constexpr char kBest[] = "best.safetensors", kPrefix[] = "step-", kSuffix[] = ".safetensors";

}  // namespace

std::map<uint64_t, std::string> checkpoints_in(const std::string& folder) {
  std::map<uint64_t, std::string> found;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (const auto step = step_in_name(it->path().string())) found.emplace(*step, it->path().string());
  }
  if (failed) raise(unavailable("the folder '" + folder + "' cannot be read: " + failed.message()));
  return found;
}

std::string checkpoint_path(const std::string& folder, uint64_t step) {
  return folder + "/" + kPrefix + std::to_string(step) + kSuffix;
}
std::string best_checkpoint_path(const std::string& folder) { return folder + "/" + kBest; }

void remove_orphans(const std::string& folder) {
  remove_orphans_in(folder, kPrefix, kSuffix);
  remove_orphans_in(folder, kBest, "");
}

std::optional<uint64_t> step_in_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  constexpr size_t kAround = sizeof kPrefix - 1 + sizeof kSuffix - 1;
  if (name.size() <= kAround || !name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  const char *begin = name.data() + sizeof kPrefix - 1,
             *last = name.data() + name.size() - (sizeof kSuffix - 1);
  uint64_t step = 0;
  const auto parsed = std::from_chars(begin, last, step);
  return parsed.ec == std::errc() && parsed.ptr == last ? std::optional(step) : std::nullopt;
}

std::optional<std::string> find_checkpoint(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return path;
  if (const auto found = checkpoints_in(path); !found.empty()) return found.rbegin()->second;
  if (const std::string best = best_checkpoint_path(path); fs::exists(best, failed)) return best;
  return std::nullopt;
}

std::optional<std::string> checkpoint_before_newest(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return std::nullopt;
  const auto found = checkpoints_in(path);
  if (found.size() < 2) return std::nullopt;
  return std::next(found.rbegin())->second;
}

std::string checkpoint_of(const std::string& path) {
  std::error_code failed;
  if (!fs::exists(path, failed))
    raise(unavailable("there is no checkpoint and no folder of checkpoints '" + path + "'"));
  if (const auto found = find_checkpoint(path)) return *found;
  raise(invalid_argument("the folder '" + path + "' has no checkpoint",
                         std::string("its checkpoints are named ") + kPrefix + "N" + kSuffix));
}

bool may_change(const std::string& folder, const std::string& file) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) return false;
  if (fs::equivalent(best_checkpoint_path(folder), file, failed)) return true;
  return std::ranges::any_of(checkpoints_in(folder),
                             [&](const auto& c) { return fs::equivalent(c.second, file, failed); });
}

}  // namespace cutset
