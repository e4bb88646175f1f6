// SPDX-License-Identifier: Apache-2.0
// Detects that two threads use one object at the same time, or that a process uses an object with threads
// that its parent made. Threads that take turns are allowed.
#pragma once
#include <cutset/error.h>

#include <atomic>
#include <memory>
#include <string>

#include "frontends/cpp/checks/own_process.h"
#include "ir/core/result.h"

namespace cutset {

// The flag of an object with threads, and the process that has these threads.
struct Owner {
  std::atomic<bool> in_use = false;
  const OwnProcess process;
};

// Returns a pointer to the object, which has a member `owner`. The last copy of the pointer destroys the
// object. In another process than the process that made the object, the object stays allocated: its
// destructor would wait for threads that do not exist there.
template <class Object>
std::shared_ptr<Object> ended_in_own_process(std::unique_ptr<Object> object) {
  return {object.release(), [](Object* o) {
            if (o->owner.process.is_this()) delete o;
          }};
}

// Sets `flag` while it lives. The constructor throws an Error if the flag is already set, which means that
// another thread uses the object. `what` is the class of the object, for the error.
class InUse {
 public:
  InUse(std::atomic<bool>& flag, const char* what) : flag_(flag) {
    if (flag_.exchange(true, std::memory_order_acquire))
      throw Error(invalid_argument(
          std::string("this cutset::") + what + " is in use by another thread",
          std::string("give each thread a ") + what + " of its own, or let them take turns"));
  }
  // Also throws if another process made the object.
  InUse(Owner& owner, const char* what) : InUse(owner.in_use, what) {
    if (const Status own = owner.process.check(what); !own.ok()) throw Error(own.error());
  }
  ~InUse() { flag_.store(false, std::memory_order_release); }
  InUse(const InUse&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace cutset
