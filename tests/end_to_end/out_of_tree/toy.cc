// SPDX-License-Identifier: Apache-2.0
// The backend of the devices toy:0 to toy:7, an example for authors of backends. It is built against an
// installed Cutset, and implements runtime/abi/cutset_device.h without the optional tables.
//
// The devices are the eight cores of one chip, which core.h simulates on the host. A core has three parts,
// which the classes of core.h implement:
//   Memory  the memory of the core. The host cannot address it.
//   Queue   a list of commands, which a thread of its own runs in order.
//   Core    the device, which owns its memory and knows its queues.
// All kernels but one are the reference kernels of Cutset. The kernel relu.toy is written here.
//
// A backend for real hardware replaces Memory and Queue by the driver's allocations and streams, and the
// reference kernels one after the other. It also allocates the memory of its commands in advance.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core.h"
#include "runtime/abi/cutset_device.h"
#include "runtime/abi/error.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/reference_kernel.h"

namespace {
using namespace toy;
using abi::guard;

// --- the kernels

// The kernel of any op: the reference kernel of Cutset, which the thread of the queue runs. The command holds
// the addresses of the operands, because the host may enqueue the same plan again before the command has run.
class Reference {
 public:
  using Plan = abi::ReferencePlan;
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    return Plan::supports(*p.raw);
  }
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) { return Plan::scratch(*p.raw); }
  Reference(cutset_device, const abi::Problem& p) : op_(p.raw->op), plan_(*p.raw) {}
  uint64_t scratch_bytes() const { return plan_.scratch_bytes(); }
  void enqueue(cutset_queue q, const abi::Operands& at) {
    std::vector<void*> in, out;
    for (size_t i = 0; i < plan_.inputs(); ++i) in.push_back(of(q)->memory(at.in[i]));
    for (size_t i = 0; i < plan_.outputs(); ++i) out.push_back(of(q)->memory(at.out[i]));
    void* scratch = plan_.scratch_bytes() > 0 ? of(q)->memory(*at.scratch) : nullptr;
    of(q)->submit({.work = [this, in, out, scratch] {
      for (size_t i = 0; i < in.size(); ++i) plan_.set_input(i, in[i]);
      for (size_t i = 0; i < out.size(); ++i) plan_.set_output(i, out[i]);
      plan_.set_scratch(scratch);
      if (const cutset_error* e = plan_.run())
        throw abi::Exception(static_cast<cutset_code>(e->code), std::string(op_) + ": " + e->message);
    }});
  }

 private:
  const char* op_;
  Plan plan_;
};

// A kernel of this backend. It computes relu of f32 tensors that have elements, and Reference computes the
// rest.
class Relu : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  Relu(cutset_device device, const abi::Problem& p) : broken_(of(device)->broken) {
    for (int64_t d : p.out_shape(0)) elements_ *= d;
  }
  void enqueue(cutset_queue q, const abi::Operands& at) {
    const auto* x = reinterpret_cast<const float*>(of(q)->memory(at.in[0]));
    auto* y = reinterpret_cast<float*>(of(q)->memory(at.out[0]));
    of(q)->submit({.work = [x, y, n = elements_, broken = broken_] {
      if (broken) throw abi::Exception(CUTSET_FAILED, "relu: the core is broken");
      for (int64_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? 0 : x[i];  // NaN stays NaN
    }});
  }

 private:
  bool broken_;
  int64_t elements_ = 1;
};

// The first kernel that supports a problem is used, so the kernels of this backend precede the reference
// kernels.
const std::vector<const cutset_kernel*>& kernels() {
  static const abi::KernelTable* table = [] {
    auto* made = new abi::KernelTable;
    made->add<Relu>("relu", "relu.toy");
    for (const cutset_kernel* k : abi::reference_kernels()) made->add<Reference>(k->op, k->name);
    return made;
  }();
  return table->kernels();
}

// --- the functions of the table, in the order of cutset_backend

// Describes a core. The speeds are the speeds of the reference kernels, by which the planner divides a graph.
const cutset_error* describe(cutset_device_info* info) {
  return guard([&] {
    if (info->index >= kCores)
      throw abi::Exception(CUTSET_UNAVAILABLE, "a toy chip has " + std::to_string(kCores) +
                                                   " cores, toy:0 to toy:" + std::to_string(kCores - 1));
    info->threads = 1;
    info->flops_per_second = 3e9;
    info->bytes_per_second = 5e9;
    info->link_bytes_per_second = 5e9;
    info->link_seconds = 10e-6;
    info->launch_seconds = 5e-6;
    info->memory_bytes = kMemoryBytes;
    info->alignment = kAlignment;
    std::snprintf(info->description, sizeof info->description, "core %d of the %d cores of one toy chip",
                  info->index, kCores);
  });
}
// The chip is simulated, so every core that `describe` accepts is present on every machine.
const cutset_error* available(const cutset_device_info*) { return nullptr; }

const cutset_error* open(const cutset_device_info* info, cutset_device* d) {
  return guard([&] {
    // The environment variable holds the number of a core that is broken, to show how a failed command is
    // reported.
    const char* broken = std::getenv("CUTSET_TOY_BROKEN");
    *d = reinterpret_cast<cutset_device>(new Core(broken && std::to_string(info->index) == broken));
  });
}
void close(cutset_device d) { delete of(d); }
const cutset_error* allocate(cutset_device d, uint64_t bytes, cutset_buffer* b) {
  return guard([&] { *b = of(d)->memory.allocate(bytes); });
}
void free_buffer(cutset_device d, cutset_buffer b) { of(d)->memory.free(b); }
const cutset_error* make_queue(cutset_device d, cutset_queue* q) {
  return guard([&] { *q = reinterpret_cast<cutset_queue>(new Queue(*of(d))); });
}
void release_queue(cutset_queue q) { delete of(q); }
const cutset_error* make_event(cutset_device, cutset_event* e) {
  return guard([&] { *e = reinterpret_cast<cutset_event>(new Event); });
}
void release_event(cutset_device, cutset_event e) { delete of(e); }

const cutset_error* signal(cutset_queue q, cutset_event e, uint64_t value) {
  return guard([&] {
    of(q)->submit({.work = [&core = of(q)->core(), event = of(e), value] {
      std::lock_guard lock(core.mutex);
      event->value = std::max(event->value, value);
    }});
  });
}
const cutset_error* wait(cutset_queue q, cutset_event e, uint64_t value) {
  return guard([&] {
    auto work = [&core = of(q)->core(), event = of(e), value] {
      std::lock_guard lock(core.mutex);
      if (event->value < value) throw abi::Abandoned();
    };
    of(q)->submit({.work = work, .until = of(e), .value = value});
  });
}
// Appends a copy between two addresses. An empty tensor may have no address.
void submit_copy(cutset_queue q, void* to, const void* from, uint64_t bytes) {
  of(q)->submit({.work = [=] {
    if (bytes) std::memmove(to, from, bytes);
  }});
}
const cutset_error* write(cutset_queue q, const cutset_slice* to, const void* from) {
  return guard([&] { submit_copy(q, of(q)->memory(*to), from, to->bytes); });
}
const cutset_error* read(cutset_queue q, const cutset_slice* from, void* to) {
  return guard([&] { submit_copy(q, to, of(q)->memory(*from), from->bytes); });
}
const cutset_error* copy(cutset_queue q, const cutset_slice* from, const cutset_slice* to) {
  return guard([&] { submit_copy(q, of(q)->memory(*to), of(q)->memory(*from), to->bytes); });
}
const cutset_error* finish(cutset_queue q) {
  return guard([&] { of(q)->finish(); });
}
void abandon(cutset_device d) { of(d)->abandon(); }
const cutset_error* resume(cutset_device d) {
  return guard([&] { of(d)->resume(); });
}

}  // namespace

// The members that are not named are null: the devices have no pinned memory, captures, timestamps or sums.
extern "C" const cutset_backend* cutset_backend_open(uint32_t abi) {
  static const cutset_backend backend = [] {
    cutset_backend b = {};
    b.abi = CUTSET_DEVICE_ABI;
    b.size = sizeof b;
    b.name = "toy";
    b.kind = "toy";
    b.kernels = kernels().data();
    b.kernel_count = kernels().size();
    b.describe = describe;
    b.available = available;
    b.open = open;
    b.close = close;
    b.allocate = allocate;
    b.free = free_buffer;
    b.queue = make_queue;
    b.release_queue = release_queue;
    b.event = make_event;
    b.release_event = release_event;
    b.signal = signal;
    b.wait = wait;
    b.write = write;
    b.read = read;
    b.copy = copy;
    b.finish = finish;
    b.abandon = abandon;
    b.resume = resume;
    return b;
  }();
  return abi == CUTSET_DEVICE_ABI ? &backend : nullptr;
}
