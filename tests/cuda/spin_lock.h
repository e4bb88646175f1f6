// SPDX-License-Identifier: Apache-2.0
// The lock of the driver double. Every function of the driver holds it until it returns.
//
// It is a spin lock, and the driver double is not instrumented for ThreadSanitizer, so the lock does not
// order the calls for the sanitizer. A missing wait between two streams is then reported as a race.
#pragma once
#include <sched.h>

#include <atomic>

namespace cutset::cuda::doubles {

class SpinLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace cutset::cuda::doubles
