// SPDX-License-Identifier: Apache-2.0
// Detects that a process made by fork() uses an object of its parent. fork() copies memory and no threads, so
// a wait for a thread of the object would never end.
#pragma once
#include <unistd.h>

#include <string>

#include "ir/core/result.h"

namespace cutset {

// Remembers the process in which it was made.
class OwnProcess {
 public:
  // Whether this is the process in which the object was made, and not a child that fork() made from it.
  bool is_this() const { return id_ == getpid(); }
  // Fails in another process. `what` is the class of the object.
  Status check(const std::string& what) const {
    if (is_this()) return {};
    return invalid_argument(
        "this cutset::" + what +
            " was made by the parent of this process, and fork() does not copy its threads",
        "make it after fork(), or start another program instead of forking");
  }

 private:
  pid_t id_ = getpid();
};

}  // namespace cutset
