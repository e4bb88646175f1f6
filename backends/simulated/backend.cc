// SPDX-License-Identifier: Apache-2.0
// The backend of the devices sim:N: the device ABI of the simulated accelerator of device.h. It stands in for
// an accelerator in tests, and is an example of a backend with asynchronous queues and with all optional
// tables (tables.h).
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "backends/portable/backend_functions.h"
#include "backends/simulated/device.h"
#include "backends/simulated/tables.h"
#include "ir/core/half.h"
#include "ir/core/op/op_info.h"
#include "ir/core/tensor_view.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/reference_kernel.h"

namespace cutset::simulated {
namespace {

using abi::guard;
using Outcome = Faults::Outcome;

Event* event(cutset_event e) { return reinterpret_cast<Event*>(e); }

const cutset_error* describe(cutset_device_info* info) {
  return guard([&] {
    Faults(info->index).call("describe");
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
  });
}
const cutset_error* available(const cutset_device_info* info) {
  return guard([&] { Faults(info->index).call("available"); });
}

const cutset_error* open(const cutset_device_info* info, cutset_device* d) {
  return guard([&] {
    auto device = std::make_unique<Device>(*info);
    device->faults().call("open");
    *d = reinterpret_cast<cutset_device>(device.release());
  });
}
void close(cutset_device d) { delete of(d); }
const cutset_error* allocate(cutset_device d, uint64_t bytes, cutset_buffer* buffer) {
  return guard([&] {
    of(d)->faults().call("allocate");
    try {
      *buffer = reinterpret_cast<cutset_buffer>(
          new Memory{std::vector<unsigned char>(bytes, 0xff)});  // NaN in every float type
    } catch (const std::exception&) {
      throw abi::Exception(CUTSET_OUT_OF_MEMORY, "cannot allocate " + std::to_string(bytes) + " bytes");
    }
  });
}
void free_buffer(cutset_device, cutset_buffer b) { delete reinterpret_cast<Memory*>(b); }
const cutset_error* make_queue(cutset_device d, cutset_queue* q) {
  return guard([&] {
    of(d)->faults().call("queue");
    *q = reinterpret_cast<cutset_queue>(of(d)->add_queue());
  });
}
void release_queue(cutset_queue q) { of(q)->device->remove_queue(of(q)); }
const cutset_error* make_event(cutset_device d, cutset_event* e) {
  return guard([&] {
    of(d)->faults().call("event");
    *e = reinterpret_cast<cutset_event>(new Event);
  });
}
void release_event(cutset_device, cutset_event e) { delete event(e); }

const cutset_error* signal(cutset_queue q, cutset_event e, uint64_t value) {
  return guard([&] {
    if (takes_the_place_of(q, "signal")) return;
    of(q)->device->submit(of(q), {.kind = Command::Kind::kSignal, .event = event(e), .value = value});
  });
}
const cutset_error* wait(cutset_queue q, cutset_event e, uint64_t value) {
  return guard([&] {
    if (takes_the_place_of(q, "wait")) return;
    of(q)->device->submit(of(q), {.kind = Command::Kind::kWait, .event = event(e), .value = value});
  });
}

const cutset_error* write(cutset_queue q, const cutset_slice* to, const void* from) {
  return guard([&] {
    auto work = [to = *to, from] {
      if (to.bytes) std::memcpy(data_of(to), from, to.bytes);  // an empty tensor may have no address
    };
    submit_work(q, "write", {.work = work, .seconds = link_seconds(q, to->bytes)});
  });
}
const cutset_error* read(cutset_queue q, const cutset_slice* from, void* to) {
  return guard([&] {
    auto work = [from = *from, to] {
      if (from.bytes) std::memcpy(to, data_of(from), from.bytes);
    };
    submit_work(q, "read", {.work = work, .seconds = link_seconds(q, from->bytes)});
  });
}
const cutset_error* copy(cutset_queue q, const cutset_slice* from, const cutset_slice* to) {
  return guard([&] {
    auto work = [from = *from, to = *to] {
      if (to.bytes) std::memmove(data_of(to), data_of(from), to.bytes);
    };
    const cutset_device_info& info = of(q)->device->info();
    const double seconds = info.launch_seconds + 2 * static_cast<double>(to->bytes) / info.bytes_per_second;
    submit_work(q, "copy", {.work = work, .seconds = seconds, .recordable = true});
  });
}
const cutset_error* finish(cutset_queue q) {
  return guard([&] {
    of(q)->device->finish(of(q));  // before the fault, because the host also frees memory after a failure
    of(q)->device->faults().call("finish");
  });
}
void abandon(cutset_device d) { of(d)->abandon(); }
const cutset_error* resume(cutset_device d) {
  return guard([&] {
    of(d)->faults().call("resume");
    of(d)->resume();
  });
}

// Returns the modelled time of a kernel. The formula is the same as in the pass `place`: the time of a
// launch, plus the maximum of the time for the arithmetic and the time for the memory traffic. The cost rule
// of the op gives the last two.
double model_seconds(const cutset_device_info& info, const cutset_problem* p) {
  const Cost cost = find_op(p->op)->cost(p->attributes, abi::Problem{p}.in_types());
  return info.launch_seconds + std::max(cost.flops / info.flops_per_second,
                                        (cost.bytes_read + cost.bytes_written) / info.bytes_per_second);
}

// The kernel of every op: a reference kernel that the device's thread runs.
class Kernel {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    return abi::ReferencePlan::supports(*p.raw);
  }
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) {
    return abi::ReferencePlan::scratch(*p.raw);
  }
  uint64_t scratch_bytes() const { return plan_.scratch_bytes(); }
  Kernel(cutset_device device, const abi::Problem& p)
      : op_(p.raw->op), plan_(*p.raw), seconds_(model_seconds(of(device)->info(), p.raw)) {
    of(device)->faults().call("prepare", op_);
    for (size_t i = 0; i < p.outputs(); ++i) out_types_.push_back(p.out_type(i));
  }
  void enqueue(cutset_queue q, const abi::Operands& at) {
    const Outcome outcome = of(q)->device->faults().call("enqueue", op_);
    auto work = [this, outcome, in = std::vector(at.in, at.in + plan_.inputs()),
                 out = std::vector(at.out, at.out + plan_.outputs()),
                 scratch = plan_.scratch_bytes() > 0 ? *at.scratch : cutset_slice{}] {
      for (size_t i = 0; i < in.size(); ++i) plan_.set_input(i, data_of(in[i]));
      for (size_t i = 0; i < out.size(); ++i) plan_.set_output(i, data_of(out[i]));
      plan_.set_scratch(data_of(scratch));
      if (const cutset_error* e = plan_.run())
        throw abi::Exception(static_cast<cutset_code>(e->code), std::string(op_) + ": " + e->message);
      if (outcome == Outcome::kNan) write_nan(out);
    };
    submit_work(q, outcome, std::string("enqueue of ") + op_,
                {.work = work, .seconds = seconds_, .recordable = true});
  }

 private:
  void write_nan(const std::vector<cutset_slice>& out) const {
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i].bytes == 0) continue;
      const float f = std::numeric_limits<float>::quiet_NaN();
      const double d = std::numeric_limits<double>::quiet_NaN();
      if (out_types_[i] == DType::f32) std::memcpy(data_of(out[i]), &f, sizeof f);
      if (out_types_[i] == DType::f64) std::memcpy(data_of(out[i]), &d, sizeof d);
      if (const uint16_t h = 0x7fff; is_half(out_types_[i]))
        std::memcpy(data_of(out[i]), &h, sizeof h);  // f16 and bf16
    }
  }

  const char* op_;
  abi::ReferencePlan plan_;
  double seconds_;
  std::vector<DType> out_types_;
};

const std::vector<const cutset_kernel*>& kernels() {
  static const auto* table = [] {
    auto* all = new abi::KernelTable;
    for (const OpInfo* op : all_ops())
      all->add<Kernel>(op->name, all->keep(std::string(op->name) + ".reference"));
    return all;
  }();
  return table->kernels();
}

}  // namespace
}  // namespace cutset::simulated

extern "C" __attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  using namespace cutset::simulated;
  static const cutset_backend backend = {
      CUTSET_BACKEND_FUNCTIONS("simulated", "sim", kernels()),
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
