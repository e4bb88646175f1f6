// SPDX-License-Identifier: Apache-2.0
// The functions of the driver double for streams, events, captures and graphs.
#include "tests/cuda/driver/streams.h"
#include "tests/cuda/libraries/driver_functions.h"

namespace cutset::cuda {

using namespace doubles;

namespace {

DriverEvent_t& event_of(DriverEvent event) {
  require(state().events.contains(event), kInvalidHandle);
  return *event;
}
// Returns the command that has recorded an event. Throws Failure if the event belongs to a capture.
const CommandPointer& recorded(DriverEvent_t& event) {
  if (event.capture) {
    event.capture->invalid = true;
    throw Failure{kCapturedEvent};
  }
  return event.recorded;
}

}  // namespace

CUTSET_EXPORT cuStreamCreate(Stream* stream, unsigned flags) {
  return driver_call("cuStreamCreate", Needs::kContext, [&] {
    require(stream && flags <= kStreamNonBlocking, kInvalidValue);
    *stream = new Stream_t{&current(), flags != kStreamNonBlocking, take_lane()};
    state().streams.insert(*stream);
  });
}
// The commands of the stream run to their end, but the call does not wait for them.
CUTSET_EXPORT cuStreamDestroy_v2(Stream stream) {
  return driver_call("cuStreamDestroy_v2", Needs::kContextToRelease, [&] {
    require(stream && state().streams.contains(stream), kInvalidHandle);
    leave_capture(*stream);
    state().free_lanes.push_back(stream->lane);
    state().streams.erase(stream);
    delete stream;
  });
}
CUTSET_EXPORT cuStreamSynchronize(Stream stream) {
  return driver_call("cuStreamSynchronize", Needs::kContext, [&] {
    Stream_t& s = stream_of(stream);
    refuse_captured(s);
    finish(s);
  });
}
// Each call runs one command, so a thread that repeats the call sees the stream end.
CUTSET_EXPORT cuStreamQuery(Stream stream) {
  return driver_call("cuStreamQuery", Needs::kContext, [&] {
    Stream_t& s = stream_of(stream);
    refuse_captured(s);
    if (s.last && !s.last->done) state().commands.run_one();
    require(!s.last || s.last->done, kNotReady);
    finish(s);
  });
}
CUTSET_EXPORT cuStreamWaitEvent(Stream stream, DriverEvent event, unsigned flags) {
  return driver_call("cuStreamWaitEvent", Needs::kContext, [&] {
    require(flags == 0, kInvalidValue);
    Stream_t& s = stream_of(stream);
    const DriverEvent_t& e = event_of(event);
    if (s.capture || e.capture) return wait_in_capture(s, e);
    if (e.recorded) append(s, nullptr, {e.recorded});
  });
}
// The function must not call the driver, as NVIDIA documents; here it would wait for the lock of the double.
CUTSET_EXPORT cuLaunchHostFunc(Stream stream, void (*function)(void*), void* data) {
  return driver_call("cuLaunchHostFunc", Needs::kContext, [&] {
    require(function, kInvalidValue);
    append(current_stream(stream), [=]() -> std::string {
      const Shown shown;
      function(data);
      return "";
    });
  });
}
// Implements DriverFunctions::launch_work. Not a function of NVIDIA's driver.
CUTSET_EXPORT cutset_cuda_double_launch_work(Stream stream, const char* (*work)(void*), void* data,
                                             const MemoryRange* ranges, size_t count) {
  return driver_call("cutset_cuda_double_launch_work", Needs::kContext, [&] {
    append(current_stream(stream), [=, used = std::vector(ranges, ranges + count)]() -> std::string {
      for (const MemoryRange& range : used)
        if (!state().memory.find(range.begin, range.bytes))
          return "a command of a library uses memory that was freed before the command ran";
      const Shown shown;
      const char* const error = work(data);
      return error ? error : "";
    });
  });
}

CUTSET_EXPORT cuEventCreate(DriverEvent* event, unsigned flags) {
  return driver_call("cuEventCreate", Needs::kContext, [&] {
    require(event && flags < 8, kInvalidValue);
    *event = new DriverEvent_t{&current(), (flags & kEventDisableTiming) == 0};
    state().events.insert(*event);
  });
}
CUTSET_EXPORT cuEventDestroy_v2(DriverEvent event) {
  return driver_call("cuEventDestroy_v2", Needs::kContextToRelease, [&] {
    state().events.erase(&event_of(event));
    delete event;
  });
}
CUTSET_EXPORT cuEventRecord(DriverEvent event, Stream stream) {
  return driver_call("cuEventRecord", Needs::kContext, [&] {
    DriverEvent_t& e = event_of(event);
    Stream_t& s = stream_of(stream);
    require(e.context == s.context, kInvalidHandle);
    if (s.capture) {
      require(!s.capture->invalid, kCaptureInvalidated);
      e.capture = s.capture;
      e.frontier = s.frontier;
      return;
    }
    append(s, nullptr);
    e.capture = nullptr;
    e.recorded = s.last;
  });
}
CUTSET_EXPORT cuEventSynchronize(DriverEvent event) {
  return driver_call("cuEventSynchronize", Needs::kContext, [&] {
    DriverEvent_t& e = event_of(event);
    state().commands.finish(recorded(e));
    require(e.context->fault == kSuccess, e.context->fault);
  });
}
CUTSET_EXPORT cuEventElapsedTime(float* milliseconds, DriverEvent from, DriverEvent to) {
  return driver_call("cuEventElapsedTime", Needs::kContext, [&] {
    require(milliseconds, kInvalidValue);
    DriverEvent_t &a = event_of(from), &b = event_of(to);
    require(a.context == b.context && a.timed && b.timed, kInvalidHandle);
    const CommandPointer start = recorded(a), end = recorded(b);
    require(start && end, kInvalidHandle);
    require(start->done && end->done, kNotReady);
    *milliseconds = static_cast<float>((end->seconds - start->seconds) * 1e3);
  });
}

CUTSET_EXPORT cuStreamBeginCapture_v2(Stream stream, int mode) {
  return driver_call("cuStreamBeginCapture_v2", Needs::kContext,
                     [&] { begin_capture(stream_of(stream), mode); });
}
CUTSET_EXPORT cuStreamEndCapture(Stream stream, Graph* graph) {
  return driver_call("cuStreamEndCapture", Needs::kContext, [&] {
    require(graph, kInvalidValue);
    *graph = nullptr;
    *graph = new Graph_t{end_capture(stream_of(stream))};
    state().graphs.insert(*graph);
  });
}
CUTSET_EXPORT cuGraphDestroy(Graph graph) {
  return driver_call("cuGraphDestroy", Needs::kInit, [&] {
    require(state().graphs.erase(graph) == 1, kInvalidValue);
    delete graph;
  });
}
CUTSET_EXPORT cuGraphInstantiateWithFlags(GraphRun* run, Graph graph, unsigned long long flags) {
  return driver_call("cuGraphInstantiateWithFlags", Needs::kContext, [&] {
    require(run && flags == 0 && state().graphs.contains(graph), kInvalidValue);
    *run = new GraphRun_t{graph->nodes};
    state().graph_runs.insert(*run);
  });
}
// The double refuses to capture a launch of a graph. NVIDIA's driver makes it a child graph.
CUTSET_EXPORT cuGraphLaunch(GraphRun run, Stream stream) {
  return driver_call("cuGraphLaunch", Needs::kContext, [&] {
    require(state().graph_runs.contains(run), kInvalidValue);
    Stream_t& s = stream_of(stream);
    refuse_captured(s);
    append_graph(s, *run);
  });
}
// A launch that has not run keeps its own copy of the nodes.
CUTSET_EXPORT cuGraphExecDestroy(GraphRun run) {
  return driver_call("cuGraphExecDestroy", Needs::kInit, [&] {
    require(state().graph_runs.erase(run) == 1, kInvalidValue);
    delete run;
  });
}

}  // namespace cutset::cuda
