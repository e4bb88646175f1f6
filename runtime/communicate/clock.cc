// SPDX-License-Identifier: Apache-2.0
#include "runtime/communicate/clock.h"

namespace cutset {
namespace {

class RealClock final : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
  void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Time until) override {
    if (until == kNever)
      changed.wait(lock);
    else
      changed.wait_until(lock, std::chrono::steady_clock::time_point(until));
  }
};

}  // namespace

Clock& Clock::real() {
  static RealClock clock;
  return clock;
}

}  // namespace cutset
