// SPDX-License-Identifier: Apache-2.0
// The clock that deadlines and stall reports are measured with. Tests replace it by a virtual clock, so they
// need not sleep (tests/virtual_clock.h).
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace cutset {

// Any thread may call any function.
class Clock {
 public:
  // Returns the time since a point that the clock chooses. It never decreases.
  using Time = std::chrono::nanoseconds;
  static constexpr Time kNever = Time::max();

  virtual ~Clock() = default;
  virtual Time now() const = 0;
  // Releases `lock` and blocks until `changed` is notified or the time is `until`, and then takes the lock
  // again. It may also return earlier. kNever: the time never comes.
  virtual void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Time until) = 0;

  // Waits until `holds()` is true or the time is `until`. Returns the last value of `holds()`, which is
  // called with the lock.
  template <class Predicate>
  bool wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Time until,
            Predicate&& holds) {
    while (!holds()) {
      if (until != kNever && now() >= until) return false;
      wait(changed, lock, until);
    }
    return true;
  }
  // Returns the time `duration` from now, or kNever if that is later than any time.
  Time after(Time duration) const {
    const Time start = now();
    return duration > kNever - start ? kNever : start + duration;
  }

  // Returns the monotonic clock of the host.
  static Clock& real();
};

}  // namespace cutset
