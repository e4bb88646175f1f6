// For backends whose kernels run on the host, in the thread that enqueues them: buffers are host
// memory, a queue is that thread, an event is a number under a lock. The reference and oneDNN devices
// are this plus kernels.
#pragma once
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

// Keeps the sentence for the caller, who reads it before the next call on this thread.
inline const char* say(std::string sentence) {
  static thread_local std::string said;
  said = std::move(sentence);
  return said.c_str();
}

// Runs f. What it throws becomes the sentence of the ABI, since nothing may be thrown through it.
template <class F>
const char* guard(F&& f) noexcept {
  try {
    try {
      f();
      return nullptr;
    } catch (const std::exception& e) {
      return say(e.what());
    } catch (...) {
      return say("an exception of an unknown type");
    }
  } catch (...) {
    return "out of memory";
  }
}

inline constexpr uint64_t kHostAlignment = 64;

struct HostTensor {
  void* data;
  uint64_t bytes;
};

struct HostEvent {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t value = 0;
  bool abandoned = false;
};

struct HostDevice {
  cutset_device_info info;
  std::mutex mutex;
  std::unordered_set<HostEvent*> events;
};

struct HostQueue {
  HostDevice* device;
};

inline HostDevice* host(cutset_device d) { return reinterpret_cast<HostDevice*>(d); }
inline HostQueue* host(cutset_queue q) { return reinterpret_cast<HostQueue*>(q); }
inline HostEvent* host(cutset_event e) { return reinterpret_cast<HostEvent*>(e); }
inline HostTensor* host(cutset_tensor t) { return reinterpret_cast<HostTensor*>(t); }

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
    const uint64_t whole = (std::max<uint64_t>(bytes, 1) + kHostAlignment - 1) / kHostAlignment * kHostAlignment;
    void* memory = whole < bytes ? nullptr : std::aligned_alloc(kHostAlignment, whole);
    if (!memory) throw std::runtime_error("cannot allocate " + std::to_string(bytes) + " bytes");
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
  return e->value >= value ? nullptr : say("abandoned: the step failed elsewhere");
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

// Everything but the name, the kernels and what the device says of itself.
inline cutset_backend host_backend(const char* name, const char* kind, const std::vector<cutset_kernel>& kernels,
                                   const char* (*describe)(cutset_device_info*),
                                   const char* (*available)(const cutset_device_info*)) {
  namespace f = host_functions;
  return {CUTSET_DEVICE_ABI,
          sizeof(cutset_backend),
          name,
          kind,
          kernels.data(),
          kernels.size(),
          describe,
          available,
          f::open,
          f::close,
          f::allocate,
          f::free,
          f::tensor,
          f::release_tensor,
          f::queue,
          f::release_queue,
          f::event,
          f::release_event,
          f::signal,
          f::wait,
          f::write,
          f::read,
          f::copy,
          f::finish,
          f::abandon};
}

}  // namespace cutset::abi
