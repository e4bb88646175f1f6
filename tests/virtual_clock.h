// SPDX-License-Identifier: Apache-2.0
// A clock whose time a test advances, for tests of deadlines and of stall reports.
#pragma once
#include <algorithm>
#include <list>

#include "runtime/communicate/clock.h"

namespace cutset::testing {

class VirtualClock final : public Clock {
 public:
  Time now() const override {
    std::lock_guard lock(mutex_);
    return now_;
  }
  void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Time until) override {
    std::list<Waiter>::iterator self;
    {
      std::lock_guard own(mutex_);
      if (now_ >= until) return;
      self = waiters_.insert(waiters_.end(), {&changed, lock.mutex(), until});
      came_.notify_all();
    }
    changed.wait(lock);
    std::lock_guard own(mutex_);
    waiters_.erase(self);
  }
  using Clock::wait;

  // Advances the time and wakes all threads that wait. The objects whose threads wait must outlive the call.
  void advance(Time duration) {
    std::list<Waiter> woken;
    {
      std::lock_guard own(mutex_);
      now_ += duration;
      for (Waiter& w : waiters_) w.woken = true;
      woken = waiters_;
    }
    for (const Waiter& w : woken) {
      std::lock_guard held(*w.mutex);  // otherwise the thread could miss the notification before it waits
      w.changed->notify_all();
    }
  }
  // Blocks until `number` threads wait for a time that is not kNever. Threads that advance() has woken do not
  // count.
  void await_waiters(int64_t number) {
    std::unique_lock own(mutex_);
    came_.wait(own, [&] {
      return std::count_if(waiters_.begin(), waiters_.end(),
                           [](const Waiter& w) { return !w.woken && w.until != kNever; }) >= number;
    });
  }

 private:
  struct Waiter {
    std::condition_variable* changed;
    std::mutex* mutex;
    Time until;
    bool woken = false;
  };
  mutable std::mutex mutex_;
  std::condition_variable came_;
  Time now_{0};
  std::list<Waiter> waiters_;
};

}  // namespace cutset::testing
