// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/driver/streams.h"

namespace cutset::cuda::doubles {
namespace {

// Returns the commands after which the next command of a stream runs. The null stream and the blocking
// streams of a context wait for each other (CUDA Driver API, "Stream synchronization behavior").
std::vector<CommandPointer> before_next(const Stream_t& stream) {
  std::vector<CommandPointer> before;
  const auto add = [&](const Stream_t& s) {
    if (s.last) before.push_back(s.last);
  };
  add(stream);
  const Stream_t& null_stream = *stream.context->null_stream;
  if (&stream == &null_stream) {
    for (Stream s : state().streams)
      if (s->blocking && s->context == stream.context) add(*s);
  } else if (stream.blocking) {
    add(null_stream);
  }
  return before;
}

CommandPointer submit(Context context, Lane* lane, Work work, std::vector<CommandPointer> after) {
  auto command = std::make_shared<Command>();
  command->context = context;
  command->lane = lane;
  command->work = std::move(work);
  command->after = std::move(after);
  state().commands.submit(command);
  return command;
}

}  // namespace

Stream_t& stream_of(Stream stream) {
  if (!stream) return *current().null_stream;
  require(state().streams.contains(stream), kInvalidHandle);
  return *stream;
}
Stream_t& current_stream(Stream stream) {
  Stream_t& found = stream_of(stream);
  require(found.context == &current(), kInvalidHandle);
  return found;
}

void append(Stream_t& stream, Work work, std::vector<CommandPointer> after) {
  if (stream.capture) return add_node(stream, std::move(work));
  if (&stream == stream.context->null_stream) refuse_implicit_wait(stream);
  std::vector<CommandPointer> before = before_next(stream);
  before.insert(before.end(), after.begin(), after.end());
  stream.last = submit(stream.context, stream.lane, std::move(work), std::move(before));
}

void finish(Stream_t& stream) {
  for (const CommandPointer& command : before_next(stream)) state().commands.finish(command);
  require(stream.context->fault == kSuccess, stream.context->fault);
}

void append_graph(Stream_t& stream, GraphRun_t& run) {
  append(stream, nullptr, run.last ? std::vector{run.last} : std::vector<CommandPointer>{});
  const CommandPointer begin = stream.last;
  std::vector<CommandPointer> commands;
  for (size_t i = 0; i < run.nodes.size(); ++i) {
    // Each node has its own lane, so ThreadSanitizer sees only the order of the capture.
    std::deque<Lane>& lanes = state().graph_lanes;
    if (lanes.size() <= i) lanes.emplace_back();
    std::vector<CommandPointer> after = {begin};
    for (size_t node : run.nodes[i].after) after.push_back(commands[node]);
    commands.push_back(submit(run.nodes[i].context, &lanes[i], run.nodes[i].work, std::move(after)));
  }
  append(stream, nullptr, std::move(commands));
  run.last = stream.last;
}

Lane* take_lane() {
  std::deque<Lane*>& lanes = state().free_lanes;
  if (lanes.empty()) return new Lane;
  Lane* const lane = lanes.front();
  lanes.pop_front();
  return lane;
}

}  // namespace cutset::cuda::doubles
