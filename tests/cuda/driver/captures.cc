// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/driver/captures.h"

namespace cutset::cuda::doubles {
namespace {

constexpr int kGlobal = 0, kThreadLocal = 1, kRelaxed = 2;

[[noreturn]] void refuse(Capture& capture, Status status) {
  capture.invalid = true;
  throw Failure{status};
}

// Marks a node and all nodes before it.
void mark(const std::vector<Node>& nodes, size_t node, std::vector<bool>& marked) {
  std::vector<size_t> stack = {node};
  while (!stack.empty()) {
    const size_t n = stack.back();
    stack.pop_back();
    if (marked[n]) continue;
    marked[n] = true;
    stack.insert(stack.end(), nodes[n].after.begin(), nodes[n].after.end());
  }
}

}  // namespace

void refuse_captured(Stream_t& stream, Status status) {
  if (stream.capture) refuse(*stream.capture, status);
}

void refuse_unsafe_call() {
  bool refused = false;
  for (const CapturePointer& c : state().captures)
    if (c->mode == kGlobal || (c->mode == kThreadLocal && c->thread == std::this_thread::get_id()))
      c->invalid = refused = true;
  require(!refused, kCaptureUnsupported);
}

void refuse_implicit_wait(const Stream_t& null_stream) {
  bool refused = false;
  for (Stream s : state().streams)
    if (s->blocking && s->capture && s->context == null_stream.context) s->capture->invalid = refused = true;
  require(!refused, kCaptureImplicit);
}

void add_node(Stream_t& stream, Work work) {
  Capture& capture = *stream.capture;
  require(!capture.invalid, kCaptureInvalidated);
  capture.nodes.push_back({stream.frontier, stream.context, std::move(work)});
  stream.frontier = {capture.nodes.size() - 1};
}

bool is_captured(const DriverEvent_t& event) {
  return event.capture && state().captures.contains(event.capture);
}

void wait_in_capture(Stream_t& stream, const DriverEvent_t& event) {
  if (!event.capture) refuse(*stream.capture, kCaptureIsolation);
  if (!is_captured(event)) {
    refuse_captured(stream, kCapturedEvent);
    throw Failure{kCapturedEvent};
  }
  require(!event.capture->invalid, kCaptureInvalidated);
  if (&stream == stream.context->null_stream) refuse(*event.capture, kCaptureImplicit);
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->invalid = true;
    refuse(*event.capture, kCaptureMerge);
  }
  stream.capture = event.capture;
  stream.capture->streams.insert(&stream);
  stream.frontier.insert(stream.frontier.end(), event.frontier.begin(), event.frontier.end());
}

void begin_capture(Stream_t& stream, int mode) {
  require(mode == kGlobal || mode == kThreadLocal || mode == kRelaxed, kInvalidValue);
  require(&stream != stream.context->null_stream, kCaptureUnsupported);
  require(!stream.capture, kIllegalState);
  stream.capture = std::make_shared<Capture>(Capture{&stream, mode, std::this_thread::get_id()});
  stream.capture->streams.insert(&stream);
  stream.frontier.clear();
  state().captures.insert(stream.capture);
}

std::vector<Node> end_capture(Stream_t& stream) {
  const CapturePointer capture = stream.capture;
  require(capture != nullptr, kIllegalState);
  if (capture->origin != &stream) refuse(*capture, kCaptureUnmatched);
  if (capture->mode != kRelaxed && capture->thread != std::this_thread::get_id())
    refuse(*capture, kCaptureWrongThread);
  std::vector<bool> joined(capture->nodes.size());
  for (size_t node : stream.frontier) mark(capture->nodes, node, joined);
  for (Stream s : capture->streams) {
    s->capture = nullptr;
    s->frontier.clear();
  }
  state().captures.erase(capture);
  require(!capture->invalid, kCaptureInvalidated);
  for (const bool node : joined) require(node, kCaptureUnjoined);
  return std::move(capture->nodes);
}

void leave_capture(Stream_t& stream) {
  if (!stream.capture) return;
  const CapturePointer capture = stream.capture;
  capture->invalid = true;
  capture->streams.erase(&stream);
  if (capture->origin == &stream) {
    for (Stream s : capture->streams) s->capture = nullptr;
    state().captures.erase(capture);
  }
}

}  // namespace cutset::cuda::doubles
