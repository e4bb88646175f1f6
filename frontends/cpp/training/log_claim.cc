// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/log_claim.h"

#include <filesystem>

#include "runtime/files/files.h"

namespace cutset {

bool LogClaim::ours() const {
  constexpr uint64_t kLongest = 65536;  // bytes; a path has at most 4096
  std::error_code failed;
  if (run_.empty() || !std::filesystem::is_regular_file(path_, failed)) return false;
  const auto claimed = read_file(path_, kLongest);
  return claimed.ok() && *claimed == run_;
}

Status LogClaim::write() {
  removed_ = false;
  if (!run_.empty()) return write_file(path_, run_);
  remove();
  return {};
}

void LogClaim::remove() {
  if (removed_) return;
  // The error is ignored: a file that stays names this run, and no other run has the same name.
  std::error_code failed;
  removed_ = std::filesystem::remove(path_, failed) || !failed;
}

}  // namespace cutset
