// SPDX-License-Identifier: Apache-2.0
#include "backends/simulated/tables.h"

#include <cstdlib>
#include <cstring>

#include "backends/simulated/group.h"
#include "ir/core/types.h"

namespace cutset::simulated {

using abi::guard;

double link_seconds(cutset_queue queue, uint64_t bytes) {
  const cutset_device_info& info = of(queue)->device->info();
  return info.link_seconds + static_cast<double>(bytes) / info.link_bytes_per_second;
}

void submit_work(cutset_queue queue, const char* function, Command command) {
  submit_work(queue, of(queue)->device->faults().call(function), function, std::move(command));
}

void submit_work(cutset_queue queue, Faults::Outcome outcome, const std::string& function, Command command) {
  Device* device = of(queue)->device;
  if (outcome == Faults::Outcome::kLost)
    command.work = [function] {
      throw abi::Exception(CUTSET_FAILED, function + ": the command fails on request");
    };
  if (outcome == Faults::Outcome::kHang)
    command.work = [device] {
      while (!device->is_abandoned()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      throw abi::Abandoned();
    };
  device->submit(of(queue), std::move(command));
}

bool takes_the_place_of(cutset_queue queue, const char* function) {
  const Faults::Outcome outcome = of(queue)->device->faults().call(function);
  if (outcome == Faults::Outcome::kRun) return false;
  submit_work(queue, outcome, function, {});
  return true;
}

namespace {

const cutset_error* allocate_host(cutset_device d, uint64_t bytes, void** memory) {
  return guard([&] {
    of(d)->faults().call("allocate_host");
    *memory = std::malloc(bytes ? bytes : 1);
    if (!*memory) throw std::bad_alloc();
    std::memset(*memory, 0xff, bytes);  // NaN, like the memory of the device
  });
}
void free_host(cutset_device, void* memory) { std::free(memory); }
const cutset_error* can_copy_peer(cutset_device, cutset_device) { return nullptr; }
const cutset_error* copy_peer(cutset_queue q, cutset_device, const cutset_slice* from,
                              const cutset_slice* to) {
  return guard([&] {
    auto work = [from = *from, to = *to] {
      if (to.bytes) std::memmove(data_of(to), data_of(from), to.bytes);
    };
    submit_work(q, "copy_peer", {.work = work, .seconds = link_seconds(q, to->bytes)});
  });
}

const cutset_error* begin(cutset_queue q) {
  return guard([&] {
    of(q)->device->faults().call("begin");
    of(q)->device->begin(of(q));
  });
}
const cutset_error* end(cutset_queue q, cutset_capture* capture) {
  return guard([&] {
    auto recorded = of(q)->device->end(of(q));
    of(q)->device->faults().call("end");
    *capture = reinterpret_cast<cutset_capture>(recorded.release());
  });
}
const cutset_error* launch(cutset_queue q, cutset_capture capture) {
  return guard([&] {
    of(q)->device->refuse_recording(of(q));
    if (takes_the_place_of(q, "launch")) return;
    for (Command c : reinterpret_cast<Capture*>(capture)->commands) {
      c.counts = false;
      of(q)->device->submit(of(q), std::move(c));
    }
    of(q)->device->submit(of(q), {.work = [] {}});  // one command stands for the whole launch
  });
}
void release_capture(cutset_capture capture) { delete reinterpret_cast<Capture*>(capture); }

Timestamp* stamp(cutset_timestamp t) { return reinterpret_cast<Timestamp*>(t); }
const cutset_error* create_timestamp(cutset_device d, cutset_timestamp* t) {
  return guard([&] {
    of(d)->faults().call("create_timestamp");
    *t = reinterpret_cast<cutset_timestamp>(new Timestamp);
  });
}
void release_timestamp(cutset_device, cutset_timestamp t) { delete stamp(t); }
const cutset_error* record(cutset_queue q, cutset_timestamp t) {
  return guard([&] {
    if (takes_the_place_of(q, "record")) return;
    of(q)->device->submit(of(q), {.kind = Command::Kind::kTimestamp, .stamp = stamp(t)});
  });
}
const cutset_error* elapsed(cutset_timestamp from, cutset_timestamp to, double* seconds) {
  *seconds = std::chrono::duration<double>(stamp(to)->when - stamp(from)->when).count();
  return nullptr;
}
const cutset_error* progress(cutset_queue q, uint64_t* commands) {
  return guard([&] { *commands = of(q)->device->progress(of(q)); });
}

// A handle of a group points to a shared_ptr, because the commands also own the group.
std::shared_ptr<Group>& group(cutset_group g) { return *reinterpret_cast<std::shared_ptr<Group>*>(g); }
const cutset_error* create_group(const cutset_device* devices, size_t count, cutset_group* group) {
  return guard([&] {
    std::vector<Device*> members;
    for (size_t i = 0; i < count; ++i) {
      of(devices[i])->faults().call("create_group");
      members.push_back(of(devices[i]));
    }
    *group = reinterpret_cast<cutset_group>(new std::shared_ptr(std::make_shared<Group>(std::move(members))));
  });
}
void release_group(cutset_group g) { delete &group(g); }
const cutset_error* all_reduce(cutset_queue q, cutset_group g, size_t member, const cutset_slice* from,
                               const cutset_slice* to, int32_t dtype) {
  return guard([&] {
    if (takes_the_place_of(q, "all_reduce")) return;
    group(g)->all_reduce(of(q), member, *from, *to, static_cast<DType>(dtype));
  });
}
const cutset_error* send(cutset_queue q, cutset_group g, size_t member, size_t peer,
                         const cutset_slice* from) {
  return guard([&] {
    if (takes_the_place_of(q, "send")) return;
    group(g)->send(of(q), member, peer, *from);
  });
}
const cutset_error* receive(cutset_queue q, cutset_group g, size_t member, size_t peer,
                            const cutset_slice* to) {
  return guard([&] {
    if (takes_the_place_of(q, "receive")) return;
    group(g)->receive(of(q), member, peer, *to);
  });
}

}  // namespace

const cutset_memory_functions& memory_functions() {
  static constexpr cutset_memory_functions kTable = {.size = sizeof kTable,
                                                     .allocate_host = allocate_host,
                                                     .free_host = free_host,
                                                     .can_copy_peer = can_copy_peer,
                                                     .copy_peer = copy_peer};
  return kTable;
}
const cutset_capture_functions& capture_functions() {
  static constexpr cutset_capture_functions kTable = {
      .size = sizeof kTable, .begin = begin, .end = end, .launch = launch, .release = release_capture};
  return kTable;
}
const cutset_time_functions& time_functions() {
  static constexpr cutset_time_functions kTable = {.size = sizeof kTable,
                                                   .create = create_timestamp,
                                                   .release = release_timestamp,
                                                   .record = record,
                                                   .elapsed = elapsed,
                                                   .progress = progress};
  return kTable;
}
const cutset_collective_functions& collective_functions() {
  static constexpr cutset_collective_functions kTable = {.size = sizeof kTable,
                                                         .create = create_group,
                                                         .release = release_group,
                                                         .all_reduce = all_reduce,
                                                         .send = send,
                                                         .receive = receive};
  return kTable;
}

}  // namespace cutset::simulated
