// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/tools/watchdog.h"

#include <cstdlib>

namespace cutset::cli {

Watchdog::Watchdog(double seconds, std::function<void(const std::string&)> at_end)
    : limit_(seconds), at_end_(std::move(at_end)) {
  thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::begin(const std::string& part) {
  std::lock_guard lock(mutex_);
  part_ = part;
  ++count_;
  changed_.notify_all();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    const int64_t seen = count_;
    const bool moved = changed_.wait_for(lock, limit_, [&] { return done_ || count_ != seen; });
    if (moved || part_.empty()) continue;
    at_end_(part_);
    std::_Exit(1);
  }
}

}  // namespace cutset::cli
