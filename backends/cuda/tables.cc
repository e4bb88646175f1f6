// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/tables.h"

#include "backends/cuda/queue.h"

namespace cutset::cuda {
namespace {

using abi::guard;

const cutset_error* allocate_host(cutset_device d, uint64_t bytes, void** memory) {
  return guard([&] {
    const Current current(*of(d));
    CUTSET_CUDA(allocate_host, memory, bytes ? bytes : 1, 0);
  });
}
void free_host(cutset_device d, void* memory) {
  [[maybe_unused]] const cutset_error* ignored = guard([&] {
    const Current current(*of(d));
    CUTSET_CUDA(free_host, memory);
  });
}
const cutset_error* can_copy_peer(cutset_device from, cutset_device to) {
  return guard([&] {
    if (of(from)->id == of(to)->id) return;
    int can = 0;
    CUTSET_CUDA(can_access_peer, &can, of(to)->id, of(from)->id);
    if (!can) throw abi::Exception(CUTSET_UNSUPPORTED, "the GPUs have no common bus for copies");
  });
}
const cutset_error* copy_peer(cutset_queue q, cutset_device from_device, const cutset_slice* from,
                              const cutset_slice* to) {
  return guard([&] {
    of(q)->refuse_recording("copy_peer");
    if (!to->bytes) return;
    of(q)->submit([a = address(*from), b = address(*to), bytes = to->bytes,
                   from_context = of(from_device)->context, context = of(q)->device().context](
                      Stream stream) { CUTSET_CUDA(copy_peer, b, context, a, from_context, bytes, stream); });
  });
}

const cutset_error* begin(cutset_queue q) {
  return guard([&] { of(q)->begin(); });
}
const cutset_error* end(cutset_queue q, cutset_capture* capture) {
  return guard([&] {
    const Graph graph = of(q)->end();
    const Current current(of(q)->device());
    GraphRun run = nullptr;
    const Status status = driver().instantiate(&run, graph, 0);
    driver().release_graph(graph);
    check(status, DriverNames::instantiate);
    *capture = reinterpret_cast<cutset_capture>(run);
  });
}
const cutset_error* launch(cutset_queue q, cutset_capture capture) {
  return guard([&] {
    of(q)->refuse_recording("launch");
    of(q)->submit([run = reinterpret_cast<GraphRun>(capture)](Stream stream) {
      CUTSET_CUDA(launch_graph, run, stream);
    });
  });
}
void release_capture(cutset_capture capture) {
  driver().release_graph_run(reinterpret_cast<GraphRun>(capture));
}

// The functions for an event need the context in which it was made.
struct Timestamp {
  Device* device;
  DriverEvent event;
};
Timestamp* stamp(cutset_timestamp t) { return reinterpret_cast<Timestamp*>(t); }
const cutset_error* create_timestamp(cutset_device d, cutset_timestamp* t) {
  return guard([&] {
    const Current current(*of(d));
    auto timestamp = std::make_unique<Timestamp>(Timestamp{of(d), nullptr});
    CUTSET_CUDA(make_event, &timestamp->event, 0);
    *t = reinterpret_cast<cutset_timestamp>(timestamp.release());
  });
}
void release_timestamp(cutset_device d, cutset_timestamp t) {
  [[maybe_unused]] const cutset_error* ignored = guard([&] {
    const Current current(*of(d));
    CUTSET_CUDA(release_event, stamp(t)->event);
  });
  delete stamp(t);
}
const cutset_error* record(cutset_queue q, cutset_timestamp t) {
  return guard([&] {
    of(q)->refuse_recording("record");
    of(q)->submit([event = stamp(t)->event](Stream stream) { CUTSET_CUDA(record_event, event, stream); });
  });
}
const cutset_error* elapsed(cutset_timestamp from, cutset_timestamp to, double* seconds) {
  return guard([&] {
    const Current current(*stamp(from)->device);
    float milliseconds = 0;
    CUTSET_CUDA(elapsed, &milliseconds, stamp(from)->event, stamp(to)->event);
    *seconds = milliseconds * 1e-3;
  });
}
const cutset_error* progress(cutset_queue, uint64_t*) {
  return abi::keep_error(CUTSET_UNSUPPORTED, "CUDA does not count the commands of a stream");
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

}  // namespace cutset::cuda
