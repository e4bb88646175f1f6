// SPDX-License-Identifier: Apache-2.0
#include "runtime/abi/host_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace cutset::abi::inline v2 {
namespace {

void* allocate_aligned(uint64_t bytes) {
  // Large buffers lie in huge pages where the system has them: kernels that stride over megabytes would else
  // wait for address translation.
  constexpr uint64_t kHugePage = uint64_t{2} << 20;
  const uint64_t alignment = bytes >= 2 * kHugePage ? kHugePage : kHostAlignment;
  const uint64_t whole = (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = whole < bytes ? nullptr : std::aligned_alloc(alignment, whole);
  if (!memory) throw Exception(CUTSET_OUT_OF_MEMORY, "cannot allocate " + std::to_string(bytes) + " bytes");
#ifdef MADV_HUGEPAGE
  if (alignment == kHugePage) (void)madvise(memory, whole, MADV_HUGEPAGE);
#endif
  return memory;
}

// The members of cutset_backend.
const cutset_error* open(const cutset_device_info* info, cutset_device* device) {
  return guard([&] {
    auto d = std::make_unique<HostDevice>();
    d->info = *info;
    *device = reinterpret_cast<cutset_device>(d.release());
  });
}
void close(cutset_device d) { delete host(d); }
const cutset_error* allocate(cutset_device, uint64_t bytes, cutset_buffer* buffer) {
  return guard([&] { *buffer = static_cast<cutset_buffer>(allocate_aligned(bytes)); });
}
void free_buffer(cutset_device, cutset_buffer buffer) { std::free(buffer); }
const cutset_error* queue(cutset_device d, cutset_queue* q) {
  return guard([&] { *q = reinterpret_cast<cutset_queue>(new HostQueue{host(d)}); });
}
void release_queue(cutset_queue q) { delete host(q); }
const cutset_error* event(cutset_device d, cutset_event* e) {
  return guard([&] {
    auto event = std::make_unique<HostEvent>();
    host(d)->events.add(event.get());
    *e = reinterpret_cast<cutset_event>(event.release());
  });
}
void release_event(cutset_device d, cutset_event e) {
  host(d)->events.remove(host(e));
  delete host(e);
}
const cutset_error* signal(cutset_queue, cutset_event event, uint64_t value) {
  HostEvent* e = host(event);
  std::lock_guard lock(e->mutex);
  e->value = std::max(e->value, value);
  e->changed.notify_all();
  return nullptr;
}
const cutset_error* wait(cutset_queue, cutset_event event, uint64_t value) {
  return guard([&] { host(event)->wait(value); });
}
const cutset_error* write(cutset_queue, const cutset_slice* to, const void* from) {
  if (to->bytes) std::memcpy(address(*to), from, to->bytes);
  return nullptr;
}
const cutset_error* read(cutset_queue, const cutset_slice* from, void* to) {
  if (from->bytes) std::memcpy(to, address(*from), from->bytes);
  return nullptr;
}
const cutset_error* copy(cutset_queue, const cutset_slice* from, const cutset_slice* to) {
  if (to->bytes) std::memmove(address(*to), address(*from), to->bytes);
  return nullptr;
}
const cutset_error* finish(cutset_queue) { return nullptr; }
void abandon(cutset_device d) { host(d)->events.abandon(); }
const cutset_error* resume(cutset_device d) {
  return guard([&] { host(d)->events.resume(); });
}

// The members of cutset_time_functions.
using Time = std::chrono::steady_clock::time_point;
Time* time_of(cutset_timestamp t) { return reinterpret_cast<Time*>(t); }
const cutset_error* create_timestamp(cutset_device, cutset_timestamp* t) {
  return guard([&] { *t = reinterpret_cast<cutset_timestamp>(new Time); });
}
void release_timestamp(cutset_device, cutset_timestamp t) { delete time_of(t); }
const cutset_error* record(cutset_queue, cutset_timestamp t) {
  *time_of(t) = std::chrono::steady_clock::now();
  return nullptr;
}
const cutset_error* elapsed(cutset_timestamp from, cutset_timestamp to, double* seconds) {
  *seconds = std::chrono::duration<double>(*time_of(to) - *time_of(from)).count();
  return nullptr;
}
const cutset_error* progress(cutset_queue, uint64_t*) {
  return guard([] { throw Exception(CUTSET_UNSUPPORTED, "a call returns when its command is done"); });
}

}  // namespace

std::unique_lock<std::mutex> HostEvent::wait(uint64_t wanted) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return value >= wanted || abandoned; });
  if (value < wanted) throw Abandoned();
  return lock;
}

void HostEvents::add(HostEvent* event) {
  std::lock_guard lock(mutex_);
  events_.insert(event);
}
void HostEvents::remove(HostEvent* event) {
  std::lock_guard lock(mutex_);
  events_.erase(event);
}
void HostEvents::abandon() {
  std::lock_guard lock(mutex_);
  for (HostEvent* e : events_) {
    std::lock_guard held(e->mutex);
    e->abandoned = true;
    e->changed.notify_all();
  }
}
void HostEvents::resume() {
  std::lock_guard lock(mutex_);
  for (HostEvent* e : events_) {
    std::lock_guard held(e->mutex);
    e->abandoned = false;
  }
}

cutset_backend host_backend(const char* name, const char* kind,
                            const std::vector<const cutset_kernel*>& kernels,
                            const cutset_error* (*describe)(cutset_device_info*),
                            const cutset_error* (*available)(const cutset_device_info*)) {
  static constexpr cutset_time_functions kTime = {.size = sizeof kTime,
                                                  .create = create_timestamp,
                                                  .release = release_timestamp,
                                                  .record = record,
                                                  .elapsed = elapsed,
                                                  .progress = progress};
  return {
      .abi = CUTSET_DEVICE_ABI,
      .size = sizeof(cutset_backend),
      .name = name,
      .kind = kind,
      .kernels = kernels.data(),
      .kernel_count = kernels.size(),
      .describe = describe,
      .available = available,
      .open = open,
      .close = close,
      .allocate = allocate,
      .free = free_buffer,
      .queue = queue,
      .release_queue = release_queue,
      .event = event,
      .release_event = release_event,
      .signal = signal,
      .wait = wait,
      .write = write,
      .read = read,
      .copy = copy,
      .finish = finish,
      .abandon = abandon,
      .memory = nullptr,  // all memory of the host is as fast
      .capture = nullptr,
      .time = &kTime,
      .collectives = nullptr,
      .layouts = nullptr,
      .code = nullptr,
      .resume = resume,
  };
}

}  // namespace cutset::abi::inline v2
