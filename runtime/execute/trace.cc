#include "runtime/execute/trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "runtime/program/forecast.h"

namespace cutset {
namespace {

using Json = nlohmann::json;
constexpr const char* kQueueNames[] = {"in", "compute", "out"};

// The index of the channel or the collective that the instruction uses; kNone: it uses neither.
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
struct Place {
  const Function* function = nullptr;
  bool apply = false;
};
using Places = std::map<const Instruction*, Place>;

TransferKey key_of(const Trace::Event& e, const Function& f) {
  const bool sum = e.instruction->is<StartAllReduce>() || e.instruction->is<AwaitAllReduce>();
  return {f.name, number_of_transfer(*e.instruction), sum, e.step};
}

// When each transfer began: with its send, or with the last partial sum.
std::map<TransferKey, Trace::Clock::time_point> begun_transfers(const std::vector<std::vector<Trace::Event>>& events,
                                                                const Places& places) {
  std::map<TransferKey, Trace::Clock::time_point> begun;
  for (const auto& of_queue : events)
    for (const Trace::Event& e : of_queue) {
      if (!e.instruction->is<Send>() && !e.instruction->is<StartAllReduce>()) continue;
      const auto [known, first] = begun.try_emplace(key_of(e, *places.at(e.instruction).function), e.start);
      if (!first) known->second = std::max(known->second, e.start);
    }
  return begun;
}

// The shard of the batch that the instruction computes or transfers: the micro-batch of a pipeline. kNone: it
// is not one.
int32_t shard_of(const Function& f, const Instruction& i) {
  if (f.shards.size() < 2) return kNone;
  for (const auto buffers : {i.results(), i.operands()})
    for (const BufferId b : buffers) {
      const ValueOrigin& origin = f.buffers[b].origin;
      if (origin.number != kNone && origin.layout != kWholeValue && origin.last == origin.first + 1)
        return origin.first;
    }
  return kNone;
}

}  // namespace

std::string Trace::json(const std::vector<const Function*>& functions, const std::vector<std::string>& devices) const {
  Json list = Json::array();
  auto microseconds = [&](Clock::time_point t) {
    return std::chrono::duration<double, std::micro>(t - begin_).count();
  };
  std::map<const Instruction*, Alive> memory;
  Places places;
  for (const Function* f : functions)
    for (size_t d = 0; d < f->devices.size(); ++d) {
      const auto& compute = f->devices[d].queues[static_cast<int>(Queue::kCompute)].compute;
      const auto alive = bytes_alive(*f, d);
      for (size_t i = 0; i < compute.size(); ++i) memory[&compute[i]] = alive[i];
      for (const Sequence& s : f->devices[d].queues)
        for (const auto* part : {&s.compute, &s.apply})
          for (const Instruction& i : *part) places[&i] = {f, part == &s.apply};
    }
  const std::map<TransferKey, Clock::time_point> begun = begun_transfers(events_, places);
  for (size_t d = 0; d < devices.size(); ++d) {
    list.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", d}, {"args", {{"name", devices[d]}}}});
    for (int q = 0; q < kQueues; ++q)
      list.push_back(
          {{"ph", "M"}, {"name", "thread_name"}, {"pid", d}, {"tid", q}, {"args", {{"name", kQueueNames[q]}}}});
  }
  for (size_t w = 0; w < events_.size(); ++w) {
    const size_t device = w / kQueues, queue = w % kQueues;
    for (const Event& e : events_[w]) {
      const Instruction& i = *e.instruction;
      if (i.is<SignalEvent>()) continue;
      const auto* kernel = i.as<RunKernel>();
      const auto& [of, apply] = places.at(&i);
      const std::string& function = of->name;
      // A device that waits for another one is idle. Only the time behind the wait belongs to the transfer.
      Clock::time_point start = e.start;
      if (i.is<Receive>() || i.is<AwaitAllReduce>())
        if (const auto known = begun.find(key_of(e, *of)); known != begun.end())
          start = std::clamp(known->second, e.start, std::max(e.start, e.end));
      Json args = {{"source", i.source()}, {"kernel", kernel ? kernel->kernel : ""}, {"layer", i.layer()},
                   {"function", function}, {"part", apply ? "apply" : "compute"},    {"step", e.step}};
      if (const int32_t shard = shard_of(*of, i); shard != kNone) args["micro_batch"] = shard;
      const auto add_slice = [&](const std::string& name, const char* kind, Clock::time_point from,
                                 Clock::time_point to) {
        list.push_back({{"ph", "X"},
                        {"name", name},
                        {"cat", kind},
                        {"pid", device},
                        {"tid", queue},
                        {"ts", microseconds(from)},
                        {"dur", microseconds(to) - microseconds(from)},
                        {"args", args}});
      };
      if (start > e.start)
        add_slice(i.is<Receive>() ? "wait for the send" : "wait for the partial sums", "wait for a device", e.start,
                  start);
      add_slice(kernel ? (i.layer().empty() ? i.op() : i.layer() + " " + i.op()) : name_of(i.command),
                name_of(i.command), start, e.end);
      if (auto bytes = memory.find(&i); bytes != memory.end() && kernel)
        list.push_back({{"ph", "C"},
                        {"name", "memory in use"},
                        {"pid", device},
                        {"ts", microseconds(e.start)},
                        {"args",
                         {{"activations", bytes->second.activations},
                          {"transfers", bytes->second.transfers},
                          {"scratch", bytes->second.scratch}}}});
      const bool sum = i.is<StartAllReduce>() || i.is<AwaitAllReduce>();
      const bool starts = i.is<Send>() || i.is<StartAllReduce>();
      const int32_t number = number_of_transfer(i);
      if (number == kNone) continue;
      // An arrow connects the events that have the same id, so all starts and waits of an all-reduce share an id.
      list.push_back(
          {{"ph", starts ? "s" : "f"},
           {"bp", "e"},
           {"name", sum ? "all_reduce" : "transfer"},
           {"cat", sum ? "all_reduce" : "transfer"},
           {"id", function + "/" + (sum ? "sum" : "channel") + std::to_string(number) + "/" + std::to_string(e.step)},
           {"pid", device},
           {"tid", queue},
           {"ts", microseconds(e.end) - 0.001}});
    }
  }
  return Json{{"traceEvents", list}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace cutset
