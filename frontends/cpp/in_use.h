// Tells the use of one object by two threads at once from the use by one after the other.
#pragma once
#include <atomic>
#include <string>

#include "frontends/cpp/graph_state.h"

namespace cutset {

// While it lives, `flag` is set; where it is set already, another thread is inside, which is an error.
class InUse {
 public:
  InUse(std::atomic<bool>& flag, const char* what) : flag_(flag) {
    if (flag_.exchange(true, std::memory_order_acquire))
      raise(invalid_argument(std::string("this cutset::") + what + " is in use by another thread",
                             std::string("give each thread a ") + what + " of its own, or let them take turns"));
  }
  ~InUse() { flag_.store(false, std::memory_order_release); }
  InUse(const InUse&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace cutset
