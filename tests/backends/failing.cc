// failing:N - a backend like reference:N whose functions fail on request. Tests load it through CUTSET_BACKEND_PATH;
// the macro CUTSET_TEST_BACKENDS of the test program holds the path of the folder with this library.
//
// The environment variable CUTSET_FAILING holds a list of requests, separated by commas. Each device reads it when it
// is opened; `describe` and `available` read it when they are called. A request has this form:
//
//   FUNCTION[/OP][@INDEX]=N[+][:ACTION]
//
// FUNCTION is describe, available, open, allocate, tensor, queue, event, instantiate, enqueue, signal, wait, write,
// read, copy or finish. /OP restricts `instantiate` and `enqueue` to kernels of that op. @INDEX restricts the request
// to the device failing:INDEX. The request applies to call number N, counted from 1, and with + also to all later
// calls. Calls are counted per device and per request.
//
// ACTION is one of
//   fail   the default: the function returns the error message "FUNCTION fails on request (call N)"
//   hang   the call never returns
//   nan    `enqueue` only: the kernel runs, and then the first element of each floating-point result becomes NaN
//   late   the call succeeds after 20 ms
//
// Example: with CUTSET_FAILING="enqueue/sgd=2" the second update of a step fails.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <sstream>
#include <thread>

#include "ir/core/tensor_view.h"
#include "runtime/abi/host_device.h"
#include "runtime/abi/reference_kernel.h"

namespace {

using cutset::DType;
namespace abi = cutset::abi;
namespace host = cutset::abi::host_functions;

struct Request {
  std::string function, op, action = "fail";
  int index = -1;  // -1: every device
  long at = 0;
  bool from_then_on = false;
  long calls = 0;
};

std::vector<Request> requests() {
  std::vector<Request> list;
  const char* given = std::getenv("CUTSET_FAILING");
  std::stringstream items(given ? given : "");
  for (std::string item; std::getline(items, item, ',');) {
    Request r;
    const size_t equals = item.find('=');
    std::string who = item.substr(0, equals), when = equals == std::string::npos ? "1" : item.substr(equals + 1);
    if (const size_t i = who.find('@'); i != std::string::npos)
      r.index = std::atoi(who.c_str() + i + 1), who = who.substr(0, i);
    if (const size_t i = who.find('/'); i != std::string::npos) r.op = who.substr(i + 1), who = who.substr(0, i);
    if (const size_t i = when.find(':'); i != std::string::npos)
      r.action = when.substr(i + 1), when = when.substr(0, i);
    r.function = who, r.at = std::atol(when.c_str()), r.from_then_on = !when.empty() && when.back() == '+';
    list.push_back(r);
  }
  return list;
}

struct Device : abi::HostDevice {
  std::vector<Request> list = requests();
};
struct Instance {
  Device* device;
  const cutset_kernel* loop;
  const cutset_problem* problem;
  cutset_instance inner;
  std::vector<abi::HostTensor*> out;
};

Device* of(cutset_device d) { return static_cast<Device*>(abi::host(d)); }
Device* of(cutset_queue q) { return static_cast<Device*>(abi::host(q)->device); }

// Counts the call and carries out the requests for it. Returns the error message of a failure, or null. Sets `nan` if a
// kernel must write NaN.
const char* act(std::vector<Request>& list, std::mutex& mutex, int index, const char* function, const char* op = "",
                bool* nan = nullptr) {
  std::string action;
  long call = 0;
  {
    std::lock_guard lock(mutex);
    for (Request& r : list) {
      if (r.function != function || (!r.op.empty() && r.op != op) || (r.index >= 0 && r.index != index)) continue;
      ++r.calls;
      if (r.calls == r.at || (r.from_then_on && r.calls > r.at)) action = r.action, call = r.calls;
    }
  }
  if (action == "hang")
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  if (action == "late") std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (action == "nan" && nan) *nan = true;
  if (action != "fail") return nullptr;
  return abi::keep_message(std::string(function) + " fails on request (call " + std::to_string(call) + ")");
}
const char* act(Device* d, const char* function, const char* op = "", bool* nan = nullptr) {
  return act(d->list, d->mutex, d->info.index, function, op, nan);
}
const char* act_unopened(const cutset_device_info* info, const char* function) {
  std::vector<Request> list = requests();
  std::mutex mutex;
  return act(list, mutex, info->index, function);
}

const char* describe(cutset_device_info* info) {
  if (const char* e = act_unopened(info, "describe")) return e;
  info->threads = 1;
  info->flops_per_second = 3e9;
  info->bytes_per_second = info->link_bytes_per_second = 5e9;
  info->link_seconds = 2e-6;
  info->launch_seconds = 1e-6;
  info->alignment = abi::kHostAlignment;
  std::snprintf(info->description, sizeof info->description, "plain loops that fail on request");
  return nullptr;
}
const char* available(const cutset_device_info* info) { return act_unopened(info, "available"); }

const char* open(const cutset_device_info* info, cutset_device* device) {
  auto* d = new Device;
  d->info = *info;
  if (const char* e = act(d, "open")) {
    delete d;
    return e;
  }
  *device = reinterpret_cast<cutset_device>(static_cast<abi::HostDevice*>(d));
  return nullptr;
}
void close(cutset_device d) { delete of(d); }
const char* allocate(cutset_device d, uint64_t bytes, cutset_buffer* b) {
  const char* e = act(of(d), "allocate");
  return e ? e : host::allocate(d, bytes, b);
}
const char* tensor(cutset_device d, cutset_buffer b, uint64_t offset, uint64_t bytes, cutset_tensor* t) {
  const char* e = act(of(d), "tensor");
  return e ? e : host::tensor(d, b, offset, bytes, t);
}
const char* queue(cutset_device d, cutset_queue* q) {
  const char* e = act(of(d), "queue");
  return e ? e : host::queue(d, q);
}
const char* event(cutset_device d, cutset_event* made) {
  const char* e = act(of(d), "event");
  return e ? e : host::event(d, made);
}
const char* signal(cutset_queue q, cutset_event which, uint64_t value) {
  const char* e = act(of(q), "signal");
  return e ? e : host::signal(q, which, value);
}
const char* wait(cutset_queue q, cutset_event which, uint64_t value) {
  const char* e = act(of(q), "wait");
  return e ? e : host::wait(q, which, value);
}
const char* write(cutset_queue q, cutset_tensor to, const void* from, uint64_t bytes) {
  const char* e = act(of(q), "write");
  return e ? e : host::write(q, to, from, bytes);
}
const char* read(cutset_queue q, cutset_tensor from, void* to, uint64_t bytes) {
  const char* e = act(of(q), "read");
  return e ? e : host::read(q, from, to, bytes);
}
const char* copy(cutset_queue q, cutset_tensor from, cutset_tensor to, uint64_t bytes) {
  const char* e = act(of(q), "copy");
  return e ? e : host::copy(q, from, to, bytes);
}
const char* finish(cutset_queue q) {
  const char* e = act(of(q), "finish");
  return e ? e : host::finish(q);
}

const cutset_kernel* loop_of(const char* op) {
  for (const cutset_kernel& k : abi::reference_kernels())
    if (!std::strcmp(k.op, op)) return &k;
  return nullptr;
}
const char* instantiate(cutset_device d, const cutset_problem* p, const cutset_tensor* in, const cutset_tensor* out,
                        cutset_tensor scratch, cutset_instance* instance) {
  if (const char* e = act(of(d), "instantiate", p->op)) return e;
  auto made = std::make_unique<Instance>(Instance{of(d), loop_of(p->op), p, nullptr, {}});
  for (size_t i = 0; i < p->out_count; ++i) made->out.push_back(abi::host(out[i]));
  if (const char* e = made->loop->instantiate(d, p, in, out, scratch, &made->inner)) return e;
  *instance = reinterpret_cast<cutset_instance>(made.release());
  return nullptr;
}
const char* enqueue(cutset_queue q, cutset_instance instance) {
  auto* i = reinterpret_cast<Instance*>(instance);
  bool nan = false;
  if (const char* e = act(i->device, "enqueue", i->problem->op, &nan)) return e;
  if (const char* e = i->loop->enqueue(q, i->inner)) return e;
  for (size_t r = 0; nan && r < i->out.size(); ++r) {
    if (i->out[r]->bytes == 0) continue;
    const auto type = static_cast<DType>(i->problem->out[r].dtype);
    if (type == DType::f32) *static_cast<float*>(i->out[r]->data) = std::numeric_limits<float>::quiet_NaN();
    if (type == DType::f64) *static_cast<double*>(i->out[r]->data) = std::numeric_limits<double>::quiet_NaN();
  }
  return nullptr;
}
void release(cutset_instance instance) {
  auto* i = reinterpret_cast<Instance*>(instance);
  i->loop->release(i->inner);
  delete i;
}

const std::vector<cutset_kernel>& kernels() {
  static const auto* made = [] {
    auto* list = new std::vector<cutset_kernel>(abi::reference_kernels());
    for (cutset_kernel& k : *list) k.instantiate = instantiate, k.enqueue = enqueue, k.release = release;
    return list;
  }();
  return *made;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t version) {
  static const cutset_backend backend = [] {
    cutset_backend b = abi::host_backend("failing", "failing", kernels(), describe, available);
    b.open = open, b.close = close, b.allocate = allocate, b.tensor = tensor, b.queue = queue, b.event = event;
    b.signal = signal, b.wait = wait, b.write = write, b.read = read, b.copy = copy, b.finish = finish;
    return b;
  }();
  return version == CUTSET_DEVICE_ABI ? &backend : nullptr;
}
