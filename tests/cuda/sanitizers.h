// SPDX-License-Identifier: Apache-2.0
// Reports fibers, and the order of commands and threads, to AddressSanitizer and ThreadSanitizer.
//
// The functions of the sanitizers are weak symbols. They are null in a process without a sanitizer, and then
// every function below does nothing. The driver double itself must not be instrumented for ThreadSanitizer,
// because its lock would order the streams.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {
#define CUTSET_WEAK __attribute__((weak))
CUTSET_WEAK void* __tsan_get_current_fiber(void);
CUTSET_WEAK void* __tsan_create_fiber(unsigned flags);
CUTSET_WEAK void __tsan_switch_to_fiber(void* fiber, unsigned flags);
CUTSET_WEAK void __tsan_acquire(void* tag);
CUTSET_WEAK void __tsan_release(void* tag);
CUTSET_WEAK void __tsan_java_init(uintptr_t begin, uintptr_t bytes);
CUTSET_WEAK void __tsan_java_alloc(uintptr_t begin, uintptr_t bytes);
CUTSET_WEAK void AnnotateIgnoreReadsBegin(const char* file, int line);
CUTSET_WEAK void AnnotateIgnoreReadsEnd(const char* file, int line);
CUTSET_WEAK void AnnotateIgnoreWritesBegin(const char* file, int line);
CUTSET_WEAK void AnnotateIgnoreWritesEnd(const char* file, int line);
CUTSET_WEAK void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t bytes);
CUTSET_WEAK void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, size_t* bytes);
CUTSET_WEAK void __asan_poison_memory_region(const volatile void* begin, size_t bytes);
CUTSET_WEAK void __asan_unpoison_memory_region(const volatile void* begin, size_t bytes);
#undef CUTSET_WEAK
}

namespace cutset::cuda::doubles {

inline bool has_thread_sanitizer() { return __tsan_create_fiber != nullptr; }
inline bool has_address_sanitizer() { return __asan_poison_memory_region != nullptr; }

// A point of order for ThreadSanitizer: accesses before release() happen before the accesses after a later
// acquire(). The tag must lie in memory that was allocated after its last use, because the sanitizer keeps
// tags by address.
struct OrderTag {
  alignas(8) char tag[8] = {};
  void release() {
    if (has_thread_sanitizer()) __tsan_release(tag);
  }
  void acquire() {
    if (has_thread_sanitizer()) __tsan_acquire(tag);
  }
};

inline void hide_accesses() {
  if (!has_thread_sanitizer()) return;
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}
inline void show_accesses() {
  if (!has_thread_sanitizer()) return;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
// Hides the accesses of the calling thread, lane or fiber from ThreadSanitizer as long as the object lives.
// The doubles keep their own data in memory that their lock guards, and the sanitizer does not know this
// lock.
struct Hidden {
  Hidden() { hide_accesses(); }
  ~Hidden() { show_accesses(); }
  Hidden(const Hidden&) = delete;
};
// Shows accesses again while a Hidden lives.
struct Shown {
  Shown() { show_accesses(); }
  ~Shown() { hide_accesses(); }
  Shown(const Shown&) = delete;
};

// A sequence of accesses that ThreadSanitizer regards as a separate thread. Only tags order it.
class Lane {
 public:
  // Runs `work` in the lane, on the stack of the calling thread. Its accesses are hidden except while a Shown
  // lives.
  template <class F>
  void run(F work) {
    if (!has_thread_sanitizer()) return work();
    if (!fiber_) fiber_ = __tsan_create_fiber(0);
    void* const caller = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber_, 1);  // 1: the switch orders nothing
    {
      const Hidden hidden;
      work();
    }
    __tsan_switch_to_fiber(caller, 1);
  }

 private:
  void* fiber_ = nullptr;  // is reused until the process ends, because the sanitizer never frees its number
};

}  // namespace cutset::cuda::doubles
