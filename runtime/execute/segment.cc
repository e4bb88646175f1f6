#include "runtime/execute/segment.h"

namespace cutset {
namespace {

bool can_be_recorded(const BoundCommand& a) {
  return std::holds_alternative<bound::RunKernel>(a.command) || std::holds_alternative<bound::CopyBuffer>(a.command);
}

// Returns null if the device cannot record the commands, whatever the reason. If the commands themselves are wrong, they
// fail again when they are enqueued one by one, and then the error names the op.
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
  const Result<cutset_capture> capture = owner.end_capture(queue);  // also after a failure, to end the recording
  if (recorded && capture.ok()) return *capture;
  owner.take_back(before);
  return nullptr;
}

}  // namespace

void find_segments(const OpenDevice& device, Handles& owner, std::vector<BoundCommand>& list,
                   std::deque<Segment>& segments) {
  if (!device.api().capture || !device.description().info().captures) return;
  for (size_t first = 0, end; first < list.size(); first = end + 1) {
    for (end = first; end < list.size() && can_be_recorded(list[end]);) ++end;
    if (end - first < 2) continue;
    Segment& segment = segments.emplace_back();
    segment.commands = end - first, segment.owner = &owner;
    list[first].segment = &segment;
  }
}

Status run_segment(const OpenDevice& device, cutset_queue queue, std::span<const BoundCommand> commands,
                   const Run& run) {
  Segment& segment = *commands[0].segment;
  const auto all = commands.first(segment.commands);
  if (segment.has_run && !segment.capture && !segment.refused) {
    segment.capture = record(device, queue, all, *segment.owner, run);
    segment.refused = !segment.capture;
  }
  segment.has_run = true;
  if (!segment.capture) {
    for (const BoundCommand& a : all) CUTSET_TRY(run_command(device, queue, a, run));
    return {};
  }
  return named_failure(device.status(device.api().capture->launch(queue, segment.capture)), all[0]);
}

size_t command_after(std::span<const BoundCommand> list, uint64_t commands) {
  size_t at = 0;
  for (; commands > 0 && at < list.size(); --commands)
    at += list[at].segment && list[at].segment->capture.load() ? list[at].segment->commands : 1;
  return at;
}

}  // namespace cutset
