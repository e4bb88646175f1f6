// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/segment.h"

#include <map>

namespace cutset {
namespace {

bool can_be_recorded(const BoundCommand& a) {
  return std::holds_alternative<bound::RunKernel>(a.command) ||
         std::holds_alternative<bound::CopyBuffer>(a.command);
}

// Appends words for everything that the device would record of a command. Two commands are the same if their
// words are the same.
void append_words(const BoundCommand& a, std::vector<uint64_t>& words) {
  const auto append = [&](const void* handle) { words.push_back(reinterpret_cast<uintptr_t>(handle)); };
  const auto append_slice = [&](const cutset_slice& s) {
    append(s.buffer);
    words.push_back(s.offset);
    words.push_back(s.bytes);
  };
  words.push_back(a.command.index());
  if (const auto* copy = std::get_if<bound::CopyBuffer>(&a.command)) {
    append_slice(copy->from);
    append_slice(copy->to);
  } else if (const auto* run = std::get_if<bound::RunKernel>(&a.command)) {
    append(run->kernel);
    append(run->plan);
    const std::span slices(run->in, run->scratch + 1);
    words.push_back(slices.size());
    for (const cutset_slice& s : slices) append_slice(s);
  }
}

// Returns null if the device cannot record the commands, whatever the reason. If the commands themselves are
// wrong, they fail again when they are enqueued one by one, and then the error names the op.
cutset_capture record(const OpenDevice& device, cutset_queue queue, std::span<const BoundCommand> commands,
                      Handles& owner, const Run& run) {
  if (!owner.begin_capture(queue).ok()) return nullptr;
  bool recorded = true;
  const Handles::Mark before = owner.mark();
  try {
    for (const BoundCommand& a : commands) recorded = recorded && run_command(device, queue, a, run).ok();
  } catch (...) {  // the description of a failure may need more memory than there is
    if (owner.end_capture(queue).ok()) owner.take_back(before);
    throw;
  }
  const Result<cutset_capture> capture =
      owner.end_capture(queue);  // even after a failure, to end the recording
  if (recorded && capture.ok()) return *capture;
  owner.take_back(before);
  return nullptr;
}

}  // namespace

void find_segments(const OpenDevice& device, Handles& owner,
                   std::span<std::vector<BoundCommand>* const> lists, std::deque<Segment>& segments,
                   std::deque<Capture>& captures) {
  if (!device.api().capture || !device.description().info().captures) return;
  std::map<std::vector<uint64_t>, Capture*> known;  // by the words of all commands
  for (auto* of_queue : lists) {
    auto& list = *of_queue;
    for (size_t first = 0, end; first < list.size(); first = end + 1) {
      std::vector<uint64_t> words;
      for (end = first; end < list.size() && can_be_recorded(list[end]); ++end)
        append_words(list[end], words);
      if (end - first < 2) continue;
      Capture*& capture = known[std::move(words)];
      if (!capture) {
        capture = &captures.emplace_back();
        capture->owner = &owner;
      }
      list[first].segment = &segments.emplace_back(Segment{end - first, capture});
    }
  }
}

Status run_segment(const OpenDevice& device, cutset_queue queue, std::span<const BoundCommand> commands,
                   const Run& run) {
  const Segment& segment = *commands[0].segment;
  Capture& capture = *segment.capture;
  const auto all = commands.first(segment.commands);
  if (capture.first_run == 0) capture.first_run = run.step;
  if (capture.first_run != run.step && !capture.recorded && !capture.refused) {
    capture.recorded = record(device, queue, all, *capture.owner, run);
    capture.refused = !capture.recorded;
  }
  if (!capture.recorded) {
    for (const BoundCommand& a : all) CUTSET_TRY(run_command(device, queue, a, run));
    return {};
  }
  return named_failure(device.status(device.api().capture->launch(queue, capture.recorded)), all[0]);
}

size_t command_after(std::span<const BoundCommand> list, uint64_t commands) {
  size_t at = 0;
  for (; commands > 0 && at < list.size(); --commands)
    at += list[at].segment && list[at].segment->capture->recorded.load() ? list[at].segment->commands : 1;
  return at;
}

}  // namespace cutset
