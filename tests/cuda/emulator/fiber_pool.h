// SPDX-License-Identifier: Apache-2.0
// The fibers of the emulator. Later blocks use the fibers of earlier blocks again.
#pragma once
#include <deque>

#include "tests/cuda/emulator/fiber.h"

namespace cutset::cuda::doubles {

class FiberPool {
 public:
  // Returns a fiber for one of `threads` threads of a block. The fiber that was put back last is taken first,
  // because its stack is in the cache. Under ThreadSanitizer it is taken last: the sanitizer orders the
  // accesses of one fiber, and must not order consecutive blocks.
  Fiber* take(size_t threads) {
    const size_t least = has_thread_sanitizer() ? std::max(kSanitizedFibers, 2 * threads) : 0;
    if (free_.empty() || made_ < least) {
      ++made_;
      return new Fiber;  // is never released, because its stack is reused until the process ends
    }
    Fiber* const fiber = has_thread_sanitizer() ? free_.front() : free_.back();
    has_thread_sanitizer() ? free_.pop_front() : free_.pop_back();
    return fiber;
  }
  void put_back(Fiber* fiber) { free_.push_back(fiber); }

 private:
  static constexpr size_t kSanitizedFibers = 512;
  std::deque<Fiber*> free_;
  size_t made_ = 0;
};

}  // namespace cutset::cuda::doubles
