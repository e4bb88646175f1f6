// Detects that two threads use one object at the same time. Threads that take turns are allowed.
#pragma once
#include <cutset/error.h>

#include <atomic>
#include <string>

#include "ir/core/result.h"

namespace cutset {

// Sets `flag` while it lives. The constructor throws an Error if the flag is already set, which means that another
// thread uses the object. `what` is the class of the object, for the error.
class InUse {
 public:
  InUse(std::atomic<bool>& flag, const char* what) : flag_(flag) {
    if (flag_.exchange(true, std::memory_order_acquire))
      throw Error(invalid_argument(std::string("this cutset::") + what + " is in use by another thread",
                                   std::string("give each thread a ") + what + " of its own, or let them take turns"));
  }
  ~InUse() { flag_.store(false, std::memory_order_release); }
  InUse(const InUse&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace cutset
