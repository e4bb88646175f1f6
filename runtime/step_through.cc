// Executable::step_through: one thread plays all queues.
#include <set>

#include "runtime/executable.h"

namespace cutset {

// What has happened in the step so far.
struct Executable::Walked {
  std::set<const void*> happened;              // events signalled, mailboxes filled
  std::map<const AllReduce*, size_t> arrived;  // parts
};

Status Executable::walk(const Loaded& loaded, const std::vector<std::vector<Action>>& lists, bool apply, Walked& walked,
                        Observer& observer) {
  std::vector<size_t> next(lists.size(), 0);
  auto& [happened, arrived] = walked;
  auto place_of = [&](size_t queue, const Instruction& i, bool applies) {
    size_t of_program = 0;
    while (device_of_[of_program] != queue / kQueues) ++of_program;
    return Observer::Place{of_program, static_cast<Queue>(queue % kQueues), applies, &i};
  };
  auto can_go_on = [&, &happened = happened, &arrived = arrived](const Action& a) {
    switch (a.kind) {
      case Instruction::Kind::kWait:
        return happened.contains(a.event);
      case Instruction::Kind::kRecv:
        return happened.contains(a.mailbox);
      case Instruction::Kind::kReduceWait:
        return arrived[a.all_reduce] == loaded.function->collectives[static_cast<size_t>(a.source->index)].parts.size();
      default:
        return true;
    }
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t w = 0; w < lists.size(); ++w) {
      OpenDevice& device = machine_.device(w / kQueues);
      while (next[w] < lists[w].size() && can_go_on(lists[w][next[w]])) {
        const Action& a = lists[w][next[w]++];
        progress = true;
        const Observer::Place place = place_of(w, *a.source, apply);
        CUTSET_TRY(observer.before(place));
        CUTSET_TRY(run_action(device, machine_.queue(w), a, loaded.runs));
        CUTSET_TRY(device.status(device.api().finish(machine_.queue(w))));
        if (a.kind == Instruction::Kind::kSignal) happened.insert(a.event);
        if (a.kind == Instruction::Kind::kSend) happened.insert(a.mailbox);
        if (a.kind == Instruction::Kind::kReduceStart) ++arrived[a.all_reduce];
        CUTSET_TRY(observer.after(place));
      }
    }
  }
  // A queue that waits for an event of its device may wait for one that waits itself, so those come last.
  for (const bool event : {false, true})
    for (size_t w = 0; w < lists.size(); ++w) {
      if (next[w] == lists[w].size()) continue;
      const Instruction& i = *lists[w][next[w]].source;
      if ((i.kind == Instruction::Kind::kWait) != event) continue;
      const std::string device = machine_.device(w / kQueues).description().name();
      Failure why = event ? execution_failed("a queue of " + device + " waits for an event that never comes")
                          : execution_failed("'" + i.op + "' on " + device + " waits for what never comes");
      why.where = i.source;
      Status status = observer.stuck(place_of(w, i, apply), why);
      return status.ok() ? Status(why) : status;
    }
  return {};
}

Result<std::span<const HostTensor>> Executable::step_through(const std::string& name,
                                                             std::span<const HostTensor* const> inputs,
                                                             Observer& observer, const Feeds& feeds) {
  CUTSET_ASSIGN(Loaded * loaded, prepare(name, inputs, feeds));
  ++loaded->runs;
  Walked walked;
  CUTSET_TRY(walk(*loaded, loaded->compute, false, walked, observer));
  if (loaded->applies) CUTSET_TRY(walk(*loaded, loaded->apply, true, walked, observer));
  return std::span<const HostTensor>(loaded->outputs);
}

Result<HostTensor> Executable::read_buffer(const std::string& name, int32_t buffer) {
  CUTSET_ASSIGN(Loaded * loaded, find_loaded(name));
  if (buffer < 0 || static_cast<size_t>(buffer) >= loaded->tensors.size())
    return invalid_argument("'" + name + "' has no buffer " + std::to_string(buffer));
  const Buffer& b = loaded->function->buffers[static_cast<size_t>(buffer)];
  const size_t at = device_of_[static_cast<size_t>(b.device)];
  OpenDevice& device = machine_.device(at);
  cutset_queue queue = machine_.queue(at * kQueues + static_cast<size_t>(Queue::kOut));
  HostTensor value(b.type);
  if (b.storage == Storage::kTypeOnly) return value;
  CUTSET_TRY(device.status(
      device.api().read(queue, loaded->tensors[static_cast<size_t>(buffer)], value.data(), value.bytes().size())));
  CUTSET_TRY(device.status(device.api().finish(queue)));
  return value;
}

Status Executable::write_buffer(const std::string& name, int32_t buffer, const HostTensor& value) {
  CUTSET_ASSIGN(Loaded * loaded, find_loaded(name));
  if (buffer < 0 || static_cast<size_t>(buffer) >= loaded->tensors.size() ||
      !loaded->tensors[static_cast<size_t>(buffer)])
    return invalid_argument("'" + name + "' has no buffer " + std::to_string(buffer) + " that holds a value");
  const Buffer& b = loaded->function->buffers[static_cast<size_t>(buffer)];
  if (value.type() != b.type)
    return execution_failed("a buffer of " + to_string(b.type) + " is not to hold " + to_string(value.type()));
  const size_t at = device_of_[static_cast<size_t>(b.device)];
  OpenDevice& device = machine_.device(at);
  cutset_queue queue = machine_.queue(at * kQueues + static_cast<size_t>(Queue::kIn));
  CUTSET_TRY(device.status(
      device.api().write(queue, loaded->tensors[static_cast<size_t>(buffer)], value.data(), value.bytes().size())));
  return device.status(device.api().finish(queue));
}

}  // namespace cutset
