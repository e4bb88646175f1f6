// The backend of the devices sim:N: the simulated accelerator of device.h behind the device ABI. It stands in for an
// accelerator in tests, and is an example of a backend with asynchronous queues.
#include <algorithm>
#include <cstdio>

#include "backends/simulated/device.h"
#include "ir/core/op_info.h"
#include "runtime/abi/host_device.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/reference_kernel.h"

namespace cutset::simulated {
namespace {

Device* device(cutset_device d) { return reinterpret_cast<Device*>(d); }
Queue* queue(cutset_queue q) { return reinterpret_cast<Queue*>(q); }
Event* event(cutset_event e) { return reinterpret_cast<Event*>(e); }
Slice* slice(cutset_tensor t) { return reinterpret_cast<Slice*>(t); }

const char* describe(cutset_device_info* info) {
  info->threads = 1;
  info->flops_per_second = 3e9;
  info->bytes_per_second = 5e9;
  info->link_bytes_per_second = 2e9;
  info->link_seconds = 10e-6;
  info->launch_seconds = 5e-6;
  info->alignment = 256;
  std::snprintf(info->description, sizeof info->description,
                "simulated accelerator: asynchronous, queues shuffled by seed %llu",
                static_cast<unsigned long long>(info->seed));
  return nullptr;
}
const char* available(const cutset_device_info*) { return nullptr; }

const char* open(const cutset_device_info* info, cutset_device* d) {
  return abi::guard([&] { *d = reinterpret_cast<cutset_device>(new Device(*info)); });
}
void close(cutset_device d) { delete device(d); }
const char* allocate(cutset_device, uint64_t bytes, cutset_buffer* buffer) {
  try {
    *buffer = reinterpret_cast<cutset_buffer>(
        new Memory{std::vector<unsigned char>(bytes, 0xff)});  // NaN in every float type
    return nullptr;
  } catch (const std::exception&) {
    return abi::keep_message("cannot allocate " + std::to_string(bytes) + " bytes");
  }
}
void release_buffer(cutset_device, cutset_buffer b) { delete reinterpret_cast<Memory*>(b); }
const char* tensor(cutset_device, cutset_buffer b, uint64_t offset, uint64_t bytes, cutset_tensor* t) {
  return abi::guard(
      [&] { *t = reinterpret_cast<cutset_tensor>(new Slice{reinterpret_cast<Memory*>(b), offset, bytes}); });
}
void release_tensor(cutset_device, cutset_tensor t) { delete slice(t); }
const char* make_queue(cutset_device d, cutset_queue* q) {
  return abi::guard([&] { *q = reinterpret_cast<cutset_queue>(device(d)->add_queue()); });
}
void release_queue(cutset_queue q) { queue(q)->device->remove_queue(queue(q)); }
const char* make_event(cutset_device, cutset_event* e) {
  return abi::guard([&] { *e = reinterpret_cast<cutset_event>(new Event); });
}
void release_event(cutset_device, cutset_event e) { delete event(e); }

const char* submit(cutset_queue q, const Command& c) {
  return abi::guard([&] { queue(q)->device->submit(queue(q), c); });
}
const char* signal(cutset_queue q, cutset_event e, uint64_t value) {
  return submit(q, {.kind = Command::Kind::kSignal, .value = value, .event = event(e)});
}
const char* wait(cutset_queue q, cutset_event e, uint64_t value) {
  return submit(q, {.kind = Command::Kind::kWait, .value = value, .event = event(e)});
}
const char* write(cutset_queue q, cutset_tensor to, const void* from, uint64_t bytes) {
  return submit(q, {.kind = Command::Kind::kWrite, .to = slice(to), .source = from, .bytes = bytes});
}
const char* read(cutset_queue q, cutset_tensor from, void* to, uint64_t bytes) {
  return submit(q, {.kind = Command::Kind::kRead, .from = slice(from), .target = to, .bytes = bytes});
}
const char* copy(cutset_queue q, cutset_tensor from, cutset_tensor to, uint64_t bytes) {
  return submit(q, {.kind = Command::Kind::kCopy, .from = slice(from), .to = slice(to), .bytes = bytes});
}
const char* finish(cutset_queue q) {
  std::string error;
  if (const char* e = abi::guard([&] { error = queue(q)->device->finish(queue(q)); })) return e;
  return error.empty() ? nullptr : abi::keep_message(std::move(error));
}
void abandon(cutset_device d) { device(d)->abandon(); }

// The modelled time of a kernel, by the formula that `place` uses, too: the time of a launch, plus the longer of the
// times for the arithmetic and for the memory traffic, by the cost rule of the op.
double model_seconds(const cutset_device_info& info, const cutset_problem* p) {
  const Cost cost = find_op(p->op)->cost(p->attributes, abi::Problem{p}.in_types());
  return info.launch_seconds +
         std::max(cost.flops / info.flops_per_second, (cost.bytes_read + cost.bytes_written) / info.bytes_per_second);
}

const char* instantiate(cutset_device d, const cutset_problem* p, const cutset_tensor* in, const cutset_tensor* out,
                        cutset_tensor, cutset_instance* instance) {
  return abi::guard([&] {
    std::vector<void*> from, to;
    for (size_t i = 0; i < p->in_count; ++i) from.push_back(in[i] ? slice(in[i])->data() : nullptr);
    for (size_t i = 0; i < p->out_count; ++i) to.push_back(slice(out[i])->data());
    *instance = reinterpret_cast<cutset_instance>(
        new Instance{abi::BoundReference(p, from.data(), to.data()), model_seconds(device(d)->info(), p)});
  });
}
const char* enqueue(cutset_queue q, cutset_instance i) {
  return submit(q, {.kind = Command::Kind::kKernel, .instance = reinterpret_cast<Instance*>(i)});
}
void release(cutset_instance i) { delete reinterpret_cast<Instance*>(i); }

// The reference kernels, with functions that bind them to the device's memory and enqueue them.
const std::vector<cutset_kernel>& kernels() {
  static const auto* made = [] {
    auto* list = new std::vector<cutset_kernel>(abi::reference_kernels());
    for (cutset_kernel& k : *list) k.instantiate = instantiate, k.enqueue = enqueue, k.release = release;
    return list;
  }();
  return *made;
}

}  // namespace
}  // namespace cutset::simulated

extern "C" __attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  using namespace cutset::simulated;
  static const cutset_backend backend = {
      .abi = CUTSET_DEVICE_ABI,
      .size = sizeof(cutset_backend),
      .name = "simulated",
      .kind = "sim",
      .kernels = kernels().data(),
      .kernel_count = kernels().size(),
      .describe = describe,
      .available = available,
      .open = open,
      .close = close,
      .allocate = allocate,
      .free = release_buffer,
      .tensor = tensor,
      .release_tensor = release_tensor,
      .queue = make_queue,
      .release_queue = release_queue,
      .event = make_event,
      .release_event = release_event,
      .signal = signal,
      .wait = wait,
      .write = write,
      .read = read,
      .copy = copy,
      .finish = finish,
      .abandon = abandon,
  };
  return abi == CUTSET_DEVICE_ABI ? &backend : nullptr;
}
