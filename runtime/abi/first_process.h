// SPDX-License-Identifier: Apache-2.0
// Detects that a process made by fork() uses a library that its parent has used. Drivers of devices start
// threads. The child does not have these threads, so such a library may wait for them forever.
#pragma once
#include <unistd.h>

#include <atomic>
#include <string>

#include "runtime/abi/error.h"

namespace cutset::abi {

// The process that has used a library first. Any thread may call use().
class FirstProcess {
 public:
  // Throws if another process has called it before. The error names `library`.
  void use(const char* library) {
    pid_t first = 0;
    if (id_.compare_exchange_strong(first, getpid()) || first == getpid()) return;
    throw Exception(CUTSET_UNAVAILABLE,
                    std::string("the parent of this process has used ") + library +
                        ", whose drivers do not work after fork() (fork before the first use of " + library +
                        ", or start another program instead of forking)");
  }

 private:
  std::atomic<pid_t> id_ = 0;
};

}  // namespace cutset::abi
