// SPDX-License-Identifier: Apache-2.0
// The backend of the devices cuda:N: NVIDIA's GPUs, used through the device ABI. It calls the driver API
// alone, and links no library of NVIDIA (library.h).
#include "backends/cuda/describe.h"
#include "backends/cuda/device.h"
#include "backends/cuda/language.h"
#include "backends/cuda/nccl/collectives.h"
#include "backends/cuda/queue.h"
#include "backends/cuda/tables.h"
#include "backends/portable/backend_functions.h"
#include "runtime/abi/first_process.h"

namespace cutset::cuda {

#define KERNELS(name) void register_##name(abi::KernelTable&);
#include "backends/cuda/kernel_list.inc"
#undef KERNELS

namespace {

using abi::guard;

const cutset_error* identity(cutset_device device, const char** text) {
  return guard([&] { *text = of(device)->identity(""); });
}

const abi::KernelTable& table() {
  static const abi::KernelTable* kernels = [] {
    auto* t = new abi::KernelTable(&identity);
#define KERNELS(name) register_##name(*t);
#include "backends/cuda/kernel_list.inc"
#undef KERNELS
    portable::add_portable_kernels(*t);
    return t;
  }();
  return *kernels;
}

// Fails in a child of a process that has used the driver.
void use_driver() {
  static abi::FirstProcess first;
  first.use("CUDA");
}

const cutset_error* describe(cutset_device_info* info) {
  return guard([&] {
    use_driver();
    describe_device(info);
  });
}
const cutset_error* available(const cutset_device_info* info) {
  return guard([&] {
    use_driver();
    check_available(*info);
  });
}
const cutset_error* open(const cutset_device_info* info, cutset_device* device) {
  return guard([&] {
    use_driver();
    check_available(*info);
    *device = reinterpret_cast<cutset_device>(new Device(*info));
  });
}
void close(cutset_device d) { delete of(d); }

const cutset_error* allocate(cutset_device d, uint64_t bytes, cutset_buffer* buffer) {
  return guard([&] {
    const Current current(*of(d));
    Address address = 0;
    CUTSET_CUDA(allocate, &address, bytes ? bytes : 1);
    *buffer = reinterpret_cast<cutset_buffer>(address);
  });
}
// The functions that release something report no failure to the host. An error of the driver is not lost: the
// next call that can fail reports it.
void free_buffer(cutset_device d, cutset_buffer b) {
  [[maybe_unused]] const cutset_error* ignored = guard([&] {
    const Current current(*of(d));
    CUTSET_CUDA(free, reinterpret_cast<Address>(b));
  });
}
const cutset_error* make_queue(cutset_device d, cutset_queue* q) {
  return guard([&] { *q = reinterpret_cast<cutset_queue>(new Queue(*of(d))); });
}
void release_queue(cutset_queue q) { delete of(q); }
const cutset_error* make_event(cutset_device d, cutset_event* e) {
  return guard([&] {
    const Current current(*of(d));
    auto new_event = std::make_unique<Event>();
    CUTSET_CUDA(make_event, &new_event->last, kEventDisableTiming);
    try {
      of(d)->events.add(new_event.get());
    } catch (...) {
      driver().release_event(new_event->last);
      throw;
    }
    *e = reinterpret_cast<cutset_event>(new_event.release());
  });
}
void release_event(cutset_device d, cutset_event e) {
  of(d)->events.remove(of(e));
  [[maybe_unused]] const cutset_error* ignored = guard([&] {
    const Current current(*of(d));
    CUTSET_CUDA(release_event, of(e)->last);
  });
  delete of(e);
}

// The commands below keep copies of their arguments, because a queue that is held runs a command after the
// call that submitted it has returned.
const cutset_error* signal(cutset_queue q, cutset_event event, uint64_t value) {
  return guard([&] {
    of(q)->refuse_recording("signal");
    of(q)->submit([e = of(event), value](Stream stream) {
      std::lock_guard lock(e->mutex);
      CUTSET_CUDA(record_event, e->last, stream);
      e->value = value;
      e->changed.notify_all();
    });
  });
}
// A stream can wait only for an event that has been recorded. The calling thread therefore blocks until the
// signal has been submitted, and the stream waits until it has happened. A later signal may be recorded
// before the stream waits.
const cutset_error* wait(cutset_queue q, cutset_event event, uint64_t value) {
  return guard([&] {
    of(q)->refuse_recording("wait");
    of(event)->wait(value);
    of(q)->submit([e = of(event)](Stream stream) {
      std::lock_guard lock(e->mutex);
      CUTSET_CUDA(wait_for_event, stream, e->last, 0);
    });
  });
}
const cutset_error* write(cutset_queue q, const cutset_slice* to, const void* from) {
  return guard([&] {
    of(q)->refuse_recording("write");
    if (!to->bytes) return;
    of(q)->submit([at = address(*to), from, bytes = to->bytes](Stream stream) {
      CUTSET_CUDA(copy_to_device, at, from, bytes, stream);
    });
  });
}
const cutset_error* read(cutset_queue q, const cutset_slice* from, void* to) {
  return guard([&] {
    of(q)->refuse_recording("read");
    if (!from->bytes) return;
    of(q)->submit([at = address(*from), to, bytes = from->bytes](Stream stream) {
      CUTSET_CUDA(copy_to_host, to, at, bytes, stream);
    });
  });
}
const cutset_error* copy(cutset_queue q, const cutset_slice* from, const cutset_slice* to) {
  return guard([&] {
    if (!to->bytes) return;
    of(q)->submit([a = address(*from), b = address(*to), bytes = to->bytes](Stream stream) {
      CUTSET_CUDA(copy_on_device, b, a, bytes, stream);
    });
  });
}
const cutset_error* finish(cutset_queue q) {
  return guard([&] { of(q)->finish(); });
}
void abandon(cutset_device d) {
  [[maybe_unused]] const cutset_error* ignored = guard([&] { of(d)->events.abandon(); });
  ignored = guard([&] { abandon_groups(*of(d)); });
}
// Once an error has destroyed the context, every call of the driver fails.
const cutset_error* resume(cutset_device d) {
  return guard([&] {
    const Current current(*of(d));
    DriverEvent probe = nullptr;
    CUTSET_CUDA(make_event, &probe, kEventDisableTiming);
    driver().release_event(probe);
    of(d)->events.resume();
  });
}

}  // namespace
}  // namespace cutset::cuda

extern "C" __attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  using namespace cutset::cuda;
  static const cutset_backend backend = {
      CUTSET_BACKEND_FUNCTIONS("cuda", "cuda", table().kernels()),
      .memory = &memory_functions(),
      .capture = &capture_functions(),
      .time = &time_functions(),
      .collectives = &collective_functions(),
      .layouts = nullptr,
      .code = nullptr,
      .resume = resume,
  };
  return abi == CUTSET_DEVICE_ABI ? &backend : nullptr;
}
