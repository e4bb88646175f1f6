// SPDX-License-Identifier: Apache-2.0
// Calls a function when a scope ends, even if an exception or a return ends it.
#pragma once
#include <utility>

namespace cutset {

// Calls `action` in the destructor, unless release() was called. `action` must not throw. Objects to which it
// refers must outlive this object.
template <class Action>
class [[nodiscard]] ScopeExit {
 public:
  explicit ScopeExit(Action action) : action_(std::move(action)) {}
  ~ScopeExit() {
    if (active_) action_();
  }
  ScopeExit(const ScopeExit&) = delete;
  // Prevents the call, after the scope has succeeded.
  void release() { active_ = false; }

 private:
  Action action_;
  bool active_ = true;
};

}  // namespace cutset
