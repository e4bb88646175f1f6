// The functions of the device ABI for a backend whose kernels run on the host, in the thread that enqueues them. A
// buffer is host memory, a queue runs its commands at once in the calling thread, and an event is a number under a
// mutex. The reference and oneDNN backends consist of these functions and their kernels.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "runtime/abi/cutset_device.h"

namespace cutset::abi {

// Keeps an error message as the ABI demands it: the pointer is valid until the next call on the same thread.
inline const char* keep_message(std::string message) {
  static thread_local std::string kept;
  kept = std::move(message);
  return kept.c_str();
}

// Runs f and returns null. If f throws, returns the text of the exception as an error message of the ABI.
template <class F>
const char* guard(F&& f) noexcept {
  try {
    try {
      f();
      return nullptr;
    } catch (const std::exception& e) {
      return keep_message(e.what());
    } catch (...) {
      return keep_message("an exception of an unknown type");
    }
  } catch (...) {
    return "out of memory";
  }
}

inline constexpr uint64_t kHostAlignment = 64;  // bytes; the size of a cache line and of an AVX-512 register

// The objects behind the handles of the ABI. A cutset_buffer is the address of its memory and has no object.
struct HostTensor {
  void* data;
  uint64_t bytes;
};

// `changed` is notified when `value` grows and when the device is abandoned.
struct HostEvent {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t value = 0;
  bool abandoned = false;
};

struct HostDevice {
  cutset_device_info info;
  std::mutex mutex;
  std::unordered_set<HostEvent*> events;  // all events of the device, which abandon() wakes
};

// A queue has no state, because its commands are done when a call returns.
struct HostQueue {
  HostDevice* device;
};

// Return the object behind a handle.
inline HostDevice* host(cutset_device d) { return reinterpret_cast<HostDevice*>(d); }
inline HostQueue* host(cutset_queue q) { return reinterpret_cast<HostQueue*>(q); }
inline HostEvent* host(cutset_event e) { return reinterpret_cast<HostEvent*>(e); }
inline HostTensor* host(cutset_tensor t) { return reinterpret_cast<HostTensor*>(t); }

// The members of cutset_backend of the same names.
namespace host_functions {

inline const char* open(const cutset_device_info* info, cutset_device* device) {
  return guard([&] {
    auto d = std::make_unique<HostDevice>();
    d->info = *info;
    *device = reinterpret_cast<cutset_device>(d.release());
  });
}
inline void close(cutset_device d) { delete host(d); }
inline const char* allocate(cutset_device, uint64_t bytes, cutset_buffer* buffer) {
  return guard([&] {
    // Large buffers lie in huge pages where the system has them: kernels that stride over megabytes would else wait for
    // address translation.
    constexpr uint64_t kHugePage = uint64_t{2} << 20;
    const uint64_t alignment = bytes >= 2 * kHugePage ? kHugePage : kHostAlignment;
    const uint64_t whole = (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    void* memory = whole < bytes ? nullptr : std::aligned_alloc(alignment, whole);
    if (!memory) throw std::runtime_error("cannot allocate " + std::to_string(bytes) + " bytes");
#ifdef MADV_HUGEPAGE
    if (alignment == kHugePage) (void)madvise(memory, whole, MADV_HUGEPAGE);
#endif
    *buffer = reinterpret_cast<cutset_buffer>(memory);
  });
}
inline void free(cutset_device, cutset_buffer buffer) { std::free(buffer); }
inline const char* tensor(cutset_device, cutset_buffer buffer, uint64_t offset, uint64_t bytes, cutset_tensor* t) {
  return guard(
      [&] { *t = reinterpret_cast<cutset_tensor>(new HostTensor{reinterpret_cast<char*>(buffer) + offset, bytes}); });
}
inline void release_tensor(cutset_device, cutset_tensor t) { delete host(t); }
inline const char* queue(cutset_device d, cutset_queue* q) {
  return guard([&] { *q = reinterpret_cast<cutset_queue>(new HostQueue{host(d)}); });
}
inline void release_queue(cutset_queue q) { delete host(q); }
inline const char* event(cutset_device d, cutset_event* e) {
  return guard([&] {
    auto made = std::make_unique<HostEvent>();
    std::lock_guard lock(host(d)->mutex);
    host(d)->events.insert(made.get());
    *e = reinterpret_cast<cutset_event>(made.release());
  });
}
inline void release_event(cutset_device d, cutset_event e) {
  {
    std::lock_guard lock(host(d)->mutex);
    host(d)->events.erase(host(e));
  }
  delete host(e);
}
inline const char* signal(cutset_queue, cutset_event event, uint64_t value) {
  HostEvent* e = host(event);
  std::lock_guard lock(e->mutex);
  e->value = std::max(e->value, value);
  e->changed.notify_all();
  return nullptr;
}
inline const char* wait(cutset_queue, cutset_event event, uint64_t value) {
  HostEvent* e = host(event);
  std::unique_lock lock(e->mutex);
  e->changed.wait(lock, [&] { return e->value >= value || e->abandoned; });
  return e->value >= value ? nullptr : keep_message("abandoned: the step failed on another device or queue");
}
inline const char* write(cutset_queue, cutset_tensor to, const void* from, uint64_t bytes) {
  if (bytes) std::memcpy(host(to)->data, from, bytes);
  return nullptr;
}
inline const char* read(cutset_queue, cutset_tensor from, void* to, uint64_t bytes) {
  if (bytes) std::memcpy(to, host(from)->data, bytes);
  return nullptr;
}
inline const char* copy(cutset_queue, cutset_tensor from, cutset_tensor to, uint64_t bytes) {
  if (bytes) std::memmove(host(to)->data, host(from)->data, bytes);
  return nullptr;
}
inline const char* finish(cutset_queue) { return nullptr; }
inline void abandon(cutset_device d) {
  std::lock_guard lock(host(d)->mutex);
  for (HostEvent* e : host(d)->events) {
    std::lock_guard held(e->mutex);
    e->abandoned = true;
    e->changed.notify_all();
  }
}

}  // namespace host_functions

// Returns the table of a backend with the functions above. `kernels` must live as long as the process.
inline cutset_backend host_backend(const char* name, const char* kind, const std::vector<cutset_kernel>& kernels,
                                   const char* (*describe)(cutset_device_info*),
                                   const char* (*available)(const cutset_device_info*)) {
  namespace f = host_functions;
  return {
      .abi = CUTSET_DEVICE_ABI,
      .size = sizeof(cutset_backend),
      .name = name,
      .kind = kind,
      .kernels = kernels.data(),
      .kernel_count = kernels.size(),
      .describe = describe,
      .available = available,
      .open = f::open,
      .close = f::close,
      .allocate = f::allocate,
      .free = f::free,
      .tensor = f::tensor,
      .release_tensor = f::release_tensor,
      .queue = f::queue,
      .release_queue = f::release_queue,
      .event = f::event,
      .release_event = f::release_event,
      .signal = f::signal,
      .wait = f::wait,
      .write = f::write,
      .read = f::read,
      .copy = f::copy,
      .finish = f::finish,
      .abandon = f::abandon,
  };
}

}  // namespace cutset::abi
