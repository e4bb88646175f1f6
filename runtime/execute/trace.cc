// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "runtime/program/forecast.h"

namespace cutset {
namespace {

using Json = nlohmann::json;
constexpr const char* kQueueNames[] = {"in", "compute", "out"};

// Returns the index of the channel or the collective that the instruction uses; kNone: it uses neither.
int32_t number_of_transfer(const Instruction& i) {
  return std::visit(
      [](const auto& c) {
        if constexpr (requires { c.channel; })
          return c.channel.value;
        else if constexpr (requires { c.collective; })
          return c.collective.value;
        else
          return kNone;
      },
      i.command);
}

// A transfer or an all-reduce in one step: the function, the number of the instruction's channel or
// collective, which of the two it is, and the step.
using TransferKey = std::tuple<std::string, int32_t, bool, uint64_t>;

// Where an instruction is in the program.
struct OwningList {
  const Function* function = nullptr;
  bool apply = false;
};
using Places = std::map<const Instruction*, OwningList>;

TransferKey key_of(const Trace::Event& e, const Function& f) {
  const bool sum = e.instruction->is<StartAllReduce>() || e.instruction->is<AwaitAllReduce>();
  return {f.name, number_of_transfer(*e.instruction), sum, e.step};
}

// Returns the time at which each transfer began: at its send, or at the last partial sum.
std::map<TransferKey, Trace::Clock::time_point> begun_transfers(
    const std::vector<std::vector<Trace::Event>>& events, const Places& places) {
  std::map<TransferKey, Trace::Clock::time_point> begun;
  for (const auto& of_queue : events)
    for (const Trace::Event& e : of_queue) {
      if (!e.instruction->is<Send>() && !e.instruction->is<StartAllReduce>()) continue;
      const auto [begin, first] = begun.try_emplace(key_of(e, *places.at(e.instruction).function), e.start);
      if (!first) begin->second = std::max(begin->second, e.start);
    }
  return begun;
}

// Returns the shard of the batch that the instruction computes or transfers, or whose partial sum it adds to
// earlier partial sums. kNone: it works on the whole batch.
int32_t shard_of(const Function& f, const Instruction& i) {
  for (const auto buffers : {i.results(), i.operands()})
    for (const BufferId b : buffers) {
      const ValueOrigin& origin = f.buffers[b].origin;
      if (origin.number == kNone || origin.layout == kWholeValue) continue;
      if (i.role() == "accumulate" || origin.last == origin.first + 1) return origin.last - 1;
    }
  return kNone;
}

// Calls f(device, apply, instruction) for all instructions of a function.
template <class F>
void for_each_instruction(const Function& function, F&& f) {
  for (size_t d = 0; d < function.devices.size(); ++d)
    for (const Sequence& s : function.devices[d].queues)
      for (const auto* part : {&s.compute, &s.apply})
        for (const Instruction& i : *part) f(d, part == &s.apply, i);
}

// Writes the events as JSON.
class TraceWriter {
 public:
  using Clock = Trace::Clock;
  TraceWriter(const std::vector<const Function*>& functions, const std::vector<std::string>& devices,
              const std::vector<std::vector<Trace::Event>>& events, Clock::time_point begin)
      : devices_(devices), events_(events), begin_(begin), stages_(devices.size()) {
    for (const Function* f : functions) read(*f);
  }

  std::string json() {
    begun_ = begun_transfers(events_, places_);
    for (size_t d = 0; d < devices_.size(); ++d) add_names(d);
    for (size_t w = 0; w < events_.size(); ++w) {
      for (const Trace::Event& e : events_[w])
        if (!e.instruction->is<SignalEvent>()) add_instruction(w, e);
      if (w % kQueues == static_cast<size_t>(Queue::kCompute)) add_turns(w);
    }
    return Json{{"traceEvents", list_}, {"displayTimeUnit", "ms"}}.dump();
  }

 private:
  // Notes the places of the instructions, the memory that they use, and the stages and micro-batches of the
  // devices.
  void read(const Function& f) {
    std::map<size_t, std::set<int32_t>> shards;  // by device
    for_each_instruction(f, [&](size_t device, bool apply, const Instruction& i) {
      places_[&i] = {&f, apply};
      if (const int32_t shard = shard_of(f, i); shard != kNone) shards[device].insert(shard);
      if (i.stage() == kNone) return;
      stages_[device].insert(i.stage());
      count_of_stages_ = std::max(count_of_stages_, i.stage() + 1);
    });
    for (const auto& [device, of_device] : shards)
      if (of_device.size() > 1) with_micro_batches_.insert({&f, device});
    for (size_t d = 0; d < f.devices.size(); ++d) {
      const auto& compute = f.devices[d].queues[static_cast<int>(Queue::kCompute)].compute;
      const auto alive = bytes_alive(f, d);
      for (size_t i = 0; i < compute.size(); ++i) memory_[&compute[i]] = alive[i];
    }
  }

  double microseconds(Clock::time_point t) const {
    return std::chrono::duration<double, std::micro>(t - begin_).count();
  }

  std::string stage_text(int32_t stage) const {
    return std::to_string(stage + 1) + " of " + std::to_string(count_of_stages_);
  }

  // Returns the micro-batch that the instruction belongs to; kNone: the device computes its part of the batch
  // at once.
  int32_t micro_batch_of(size_t device, const Instruction& i) const {
    const Function* f = places_.at(&i).function;
    return with_micro_batches_.contains({f, device}) ? shard_of(*f, i) : kNone;
  }

  // Returns the title of a turn: "forward, micro-batch 2".
  static std::string turn_text(const std::string& role, int32_t micro_batch) {
    return role + (micro_batch == kNone ? "" : ", micro-batch " + std::to_string(micro_batch));
  }

  // Names the process of a device and the threads of its queues.
  void add_names(size_t device) {
    std::string name = devices_[device];
    for (const int32_t stage : stages_[device]) name += ", stage " + stage_text(stage);
    list_.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", device}, {"args", {{"name", name}}}});
    for (int q = 0; q < kQueues; ++q)
      list_.push_back({{"ph", "M"},
                       {"name", "thread_name"},
                       {"pid", device},
                       {"tid", q},
                       {"args", {{"name", kQueueNames[q]}}}});
  }

  void add_slice(size_t worker, const std::string& name, const char* kind, Clock::time_point from,
                 Clock::time_point to, const Json& args) {
    list_.push_back({{"ph", "X"},
                     {"name", name},
                     {"cat", kind},
                     {"pid", worker / kQueues},
                     {"tid", worker % kQueues},
                     {"ts", microseconds(from)},
                     {"dur", microseconds(to) - microseconds(from)},
                     {"args", args}});
  }

  // Returns the arguments that slices of instructions and of turns have.
  Json arguments_of(size_t device, const Trace::Event& e) const {
    const Instruction& i = *e.instruction;
    const auto& [f, apply] = places_.at(&i);
    Json args = {{"function", f->name}, {"part", apply ? "apply" : "compute"}, {"step", e.step}};
    if (!i.role().empty()) args["role"] = i.role();
    if (i.stage() != kNone) args["stage"] = stage_text(i.stage());
    if (const int32_t micro_batch = micro_batch_of(device, i); micro_batch != kNone)
      args["micro_batch"] = micro_batch;
    return args;
  }

  void add_instruction(size_t worker, const Trace::Event& e) {
    const size_t device = worker / kQueues;
    const Instruction& i = *e.instruction;
    const auto* kernel = i.as<RunKernel>();
    Json args = arguments_of(device, e);
    args["source"] = i.source();
    args["layer"] = i.layer();
    args["kernel"] = kernel ? kernel->kernel : "";
    // A device that waits for another device is idle. Only the time after the wait belongs to the transfer.
    Clock::time_point start = e.start;
    if (i.is<Receive>() || i.is<AwaitAllReduce>())
      if (const auto begin = begun_.find(key_of(e, *places_.at(&i).function)); begin != begun_.end())
        start = std::clamp(begin->second, e.start, std::max(e.start, e.end));
    if (start > e.start)
      add_slice(worker, i.is<Receive>() ? "wait for the send" : "wait for the partial sums",
                "wait for a device", e.start, start, args);
    std::string name = kernel && !i.layer().empty() ? i.layer() + " " + i.op()
                       : kernel                     ? i.op()
                                                    : name_of(i.command);
    if (!kernel && !i.role().empty()) name += ": " + turn_text(i.role(), micro_batch_of(device, i));
    add_slice(worker, name, name_of(i.command), start, e.end, args);
    if (kernel) add_memory(device, e);
    add_arrow(worker, e);
  }

  void add_memory(size_t device, const Trace::Event& e) {
    const auto bytes = memory_.find(e.instruction);
    if (bytes == memory_.end()) return;
    list_.push_back(
        {{"ph", "C"},
         {"name", "memory in use"},
         {"pid", device},
         {"ts", microseconds(e.start)},
         {"args", {{"activations", bytes->second.activations}, {"transfers", bytes->second.transfers}}}});
  }

  // Adds an end of an arrow. An arrow connects the events that have the same id, so all starts and waits of
  // an all-reduce share an id.
  void add_arrow(size_t worker, const Trace::Event& e) {
    const Instruction& i = *e.instruction;
    const int32_t number = number_of_transfer(i);
    if (number == kNone) return;
    const bool sum = i.is<StartAllReduce>() || i.is<AwaitAllReduce>();
    const std::string id = places_.at(&i).function->name + "/" + (sum ? "sum" : "channel") +
                           std::to_string(number) + "/" + std::to_string(e.step);
    list_.push_back({{"ph", i.is<Send>() || i.is<StartAllReduce>() ? "s" : "f"},
                     {"bp", "e"},
                     {"name", sum ? "all_reduce" : "transfer"},
                     {"cat", sum ? "all_reduce" : "transfer"},
                     {"id", id},
                     {"pid", worker / kQueues},
                     {"tid", worker % kQueues},
                     {"ts", microseconds(e.end) - 0.001}});
  }

  // Adds a slice around consecutive kernels that have the same arguments, for example around the forward ops
  // of a micro-batch. Waits and copies between them do not end it.
  void add_turns(size_t worker) {
    const size_t device = worker / kQueues;
    std::optional<Trace::Event> first, last;
    Json args;
    const auto end_turn = [&] {
      if (first)
        add_slice(worker, turn_text(first->instruction->role(), micro_batch_of(device, *first->instruction)),
                  "turn", first->start, last->end, args);
      first.reset();
    };
    for (const Trace::Event& e : events_[worker]) {
      if (!e.instruction->is<RunKernel>() || e.instruction->role().empty()) continue;
      Json event_args = arguments_of(device, e);
      if (first && event_args != args) end_turn();
      if (!first) {
        first = e;
        args = std::move(event_args);
      }
      last = e;
    }
    end_turn();
  }

  const std::vector<std::string>& devices_;
  const std::vector<std::vector<Trace::Event>>& events_;
  const Clock::time_point begin_;
  Places places_;
  std::map<const Instruction*, Alive> memory_;
  std::vector<std::set<int32_t>> stages_;  // by device
  int32_t count_of_stages_ = 0;
  std::set<std::pair<const Function*, size_t>>
      with_micro_batches_;  // the functions and devices with several micro-batches
  std::map<TransferKey, Clock::time_point> begun_;
  Json list_ = Json::array();
};

}  // namespace

std::string Trace::json(const std::vector<const Function*>& functions,
                        const std::vector<std::string>& devices) const {
  return TraceWriter(functions, devices, events_, begin_).json();
}

}  // namespace cutset
