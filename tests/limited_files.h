// SPDX-License-Identifier: Apache-2.0
// Limits the size of the files that this process writes, so that a test sees a write that fails in the
// middle.
#pragma once
#include <sys/resource.h>

#include <csignal>

namespace cutset::testing {

// While it lives, a write past the first `bytes` bytes of a file fails.
class LimitedFiles {
 public:
  explicit LimitedFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  LimitedFiles(const LimitedFiles&) = delete;
  LimitedFiles& operator=(const LimitedFiles&) = delete;
  ~LimitedFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

}  // namespace cutset::testing
