// SPDX-License-Identifier: Apache-2.0
// The functions of the device ABI for a backend whose kernels run on the host, in the thread that enqueues
// them. A buffer is host memory, a queue runs its commands at once in the calling thread, and an event is a
// number under a mutex. The reference and oneDNN backends consist of these functions and their kernels.
#pragma once
#include <condition_variable>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "runtime/abi/cutset_device.h"
#include "runtime/abi/error.h"

// The version is a part of the names, so that a backend of another version cannot be linked with these
// functions.
namespace cutset::abi::inline v2 {

inline constexpr uint64_t kHostAlignment = 64;  // bytes; the size of a cache line and of an AVX-512 register

// The objects that the handles of the ABI stand for. A cutset_buffer has no object: it is the address of its
// memory.
//
// `changed` is notified when `value` grows and when the device is abandoned.
struct HostEvent {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t value = 0;
  bool abandoned = false;

  // Blocks until the event has at least `value`, and returns the lock that guards it. Throws Abandoned.
  std::unique_lock<std::mutex> wait(uint64_t value);
};

// All events of a device, so that `abandon` can wake the threads that wait for them, and `resume` lets
// threads wait again. Any thread may call the functions.
class HostEvents {
 public:
  void add(HostEvent* event);
  void remove(HostEvent* event);
  void abandon();
  void resume();

 private:
  std::mutex mutex_;
  std::unordered_set<HostEvent*> events_;
};

struct HostDevice {
  cutset_device_info info;
  HostEvents events;
};

// A queue has no state, because its commands are done when a call returns.
struct HostQueue {
  HostDevice* device;
};

// Return the object of a handle.
inline HostDevice* host(cutset_device d) { return reinterpret_cast<HostDevice*>(d); }
inline HostQueue* host(cutset_queue q) { return reinterpret_cast<HostQueue*>(q); }
inline HostEvent* host(cutset_event e) { return reinterpret_cast<HostEvent*>(e); }
// Returns the host address of a slice, or null if it has no buffer.
inline void* address(const cutset_slice& s) {
  return s.buffer ? reinterpret_cast<char*>(s.buffer) + s.offset : nullptr;
}

// Returns the table of a backend with the functions above; its devices share memory with the host and measure
// time. `kernels` must live as long as the process.
cutset_backend host_backend(const char* name, const char* kind,
                            const std::vector<const cutset_kernel*>& kernels,
                            const cutset_error* (*describe)(cutset_device_info*),
                            const cutset_error* (*available)(const cutset_device_info*));

}  // namespace cutset::abi::inline v2
