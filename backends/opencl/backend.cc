// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "backends/opencl/device.h"
#include "backends/portable/backend_functions.h"
#include "backends/portable/launches.h"

namespace cutset::opencl {

#define KERNELS(name) void register_##name(abi::KernelTable&);
#include "backends/opencl/kernel_list.inc"
#undef KERNELS

namespace {

const abi::KernelTable& table() {
  static const abi::KernelTable* kernels = [] {
    auto* t = new abi::KernelTable;
#define KERNELS(name) register_##name(*t);
#include "backends/opencl/kernel_list.inc"
#undef KERNELS
    portable::add_portable_kernels(*t);
    return t;
  }();
  return *kernels;
}

using abi::guard;

// Returns the bytes of the device's own memory, or 0 if the device computes in the memory of the host or does
// not report its memory.
uint64_t own_memory(cl_device_id id) {
  cl_bool of_host = CL_TRUE;
  cl_ulong bytes = 0;
  if (clGetDeviceInfo(id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof of_host, &of_host, nullptr) != CL_SUCCESS ||
      of_host || clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
    return 0;
  return bytes;
}

const cutset_error* describe(cutset_device_info* info) {
  // Measured with PoCL on a CPU. The user can give the speeds of a GPU in a device file.
  info->flops_per_second = 40e9;
  info->bytes_per_second = 8e9;
  info->link_bytes_per_second = 4e9;
  info->link_seconds = 20e-6;
  info->launch_seconds = 10e-6;
  info->alignment = kAlignment;
  std::snprintf(info->description, sizeof info->description, "OpenCL");
  return guard([&] {
    auto devices = all_devices();
    if (static_cast<size_t>(info->index) >= devices.size()) return;
    info->memory_bytes = own_memory(devices[size_t(info->index)]);
    std::snprintf(info->description, sizeof info->description, "%s",
                  (device_text(devices[size_t(info->index)], CL_DEVICE_NAME) + ", " +
                   device_text(devices[size_t(info->index)], CL_DEVICE_VERSION))
                      .c_str());
  });
}

const cutset_error* available(const cutset_device_info* info) {
  return guard([&] {
    auto devices = all_devices();
    if (devices.empty())
      throw abi::Exception(
          CUTSET_UNAVAILABLE,
          "no OpenCL platform can be loaded (apt-get install pocl-opencl-icd installs a platform for CPUs; "
          "if one is installed, a limit of the process, such as ulimit -v, may keep it from being loaded)");
    if (static_cast<size_t>(info->index) >= devices.size())
      throw abi::Exception(CUTSET_UNAVAILABLE,
                           "device index " + std::to_string(info->index) + " is out of range; OpenCL lists " +
                               std::to_string(devices.size()) + " device" + (devices.size() > 1 ? "s" : "") +
                               " on this machine, numbered from 0");
  });
}

const cutset_error* open(const cutset_device_info* info, cutset_device* device) {
  if (const cutset_error* e = available(info)) return e;
  return guard([&] {
    auto d = std::make_unique<Device>();
    d->info = *info;
    d->context = Context::of(all_devices()[static_cast<size_t>(info->index)]);
    *device = reinterpret_cast<cutset_device>(d.release());
  });
}
void close(cutset_device d) { delete of(d); }

const cutset_error* allocate(cutset_device d, uint64_t bytes, cutset_buffer* buffer) {
  return guard([&] {
    cl_int code = CL_SUCCESS;
    *buffer = reinterpret_cast<cutset_buffer>(
        clCreateBuffer(of(d)->context->handle(), CL_MEM_READ_WRITE, bytes ? bytes : 1, nullptr, &code));
    check_allocation(code, "clCreateBuffer");
  });
}
void free_buffer(cutset_device, cutset_buffer b) { clReleaseMemObject(of(b)); }
const cutset_error* make_queue(cutset_device d, cutset_queue* q) {
  return guard([&] {
    cl_int code = CL_SUCCESS;
    Owned<cl_command_queue> queue(
        clCreateCommandQueue(of(d)->context->handle(), of(d)->context->device(), 0, &code));
    check(code, "clCreateCommandQueue");
    *q = reinterpret_cast<cutset_queue>(new Queue{of(d), queue.get()});
    queue.release();
  });
}
void release_queue(cutset_queue q) {
  [[maybe_unused]] const cutset_error* ignored = guard([&] { of(q)->finish(); });
  clReleaseCommandQueue(of(q)->queue);
  delete of(q);
}
const cutset_error* make_event(cutset_device d, cutset_event* e) {
  return guard([&] {
    auto new_event = std::make_unique<Event>();
    of(d)->events.add(new_event.get());
    *e = reinterpret_cast<cutset_event>(new_event.release());
  });
}
void release_event(cutset_device d, cutset_event e) {
  of(d)->events.remove(of(e));
  if (of(e)->last) clReleaseEvent(of(e)->last);
  delete of(e);
}

const cutset_error* signal(cutset_queue q, cutset_event event, uint64_t value) {
  return guard([&] {
    cl_event marker = nullptr;
    check(clEnqueueMarkerWithWaitList(of(q)->queue, 0, nullptr, &marker), "clEnqueueMarkerWithWaitList");
    check(clFlush(of(q)->queue), "clFlush");
    Event* e = of(event);
    std::lock_guard lock(e->mutex);
    if (e->last) clReleaseEvent(e->last);
    e->last = marker;
    e->value = value;
    e->changed.notify_all();
  });
}
// OpenCL can wait only for events that have been submitted. The calling thread therefore blocks until the
// signal has been submitted, and the device's queue waits until it has happened.
const cutset_error* wait(cutset_queue q, cutset_event event, uint64_t value) {
  return guard([&] {
    Event* e = of(event);
    const auto lock = e->wait(value);
    if (!e->last) return;  // this is a wait for 0, before the first signal
    check(clEnqueueBarrierWithWaitList(of(q)->queue, 1, &e->last, nullptr), "clEnqueueBarrierWithWaitList");
  });
}
const cutset_error* write(cutset_queue q, const cutset_slice* to, const void* from) {
  return guard([&] {
    if (to->bytes)
      check(clEnqueueWriteBuffer(of(q)->queue, of(to->buffer), CL_FALSE, to->offset, to->bytes, from, 0,
                                 nullptr, of(q)->next_event()),
            "clEnqueueWriteBuffer");
  });
}
const cutset_error* read(cutset_queue q, const cutset_slice* from, void* to) {
  return guard([&] {
    if (from->bytes)
      check(clEnqueueReadBuffer(of(q)->queue, of(from->buffer), CL_FALSE, from->offset, from->bytes, to, 0,
                                nullptr, of(q)->next_event()),
            "clEnqueueReadBuffer");
  });
}
const cutset_error* copy(cutset_queue q, const cutset_slice* from, const cutset_slice* to) {
  return guard([&] {
    if (to->bytes)
      check(clEnqueueCopyBuffer(of(q)->queue, of(from->buffer), of(to->buffer), from->offset, to->offset,
                                to->bytes, 0, nullptr, of(q)->next_event()),
            "clEnqueueCopyBuffer");
  });
}
const cutset_error* finish(cutset_queue q) {
  return guard([&] { of(q)->finish(); });
}
void abandon(cutset_device d) { of(d)->events.abandon(); }
const cutset_error* resume(cutset_device d) {
  return guard([&] { of(d)->events.resume(); });
}

}  // namespace
}  // namespace cutset::opencl

extern "C" __attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  using namespace cutset::opencl;
  static const cutset_backend backend = {
      CUTSET_BACKEND_FUNCTIONS("opencl", "opencl", table().kernels()),
      .memory = nullptr,
      .capture = nullptr,
      .time = nullptr,
      .collectives = nullptr,
      .layouts = nullptr,
      .code = nullptr,
      .resume = resume,
  };
  return abi == CUTSET_DEVICE_ABI ? &backend : nullptr;
}
