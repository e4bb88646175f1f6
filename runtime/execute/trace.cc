#include "runtime/execute/trace.h"

#include <map>
#include <nlohmann/json.hpp>

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

}  // namespace

std::string Trace::json(const std::vector<const Function*>& functions, const std::vector<std::string>& devices) const {
  Json list = Json::array();
  auto microseconds = [&](Clock::time_point t) {
    return std::chrono::duration<double, std::micro>(t - begin_).count();
  };
  std::map<const Instruction*, Alive> memory;
  struct Of {
    std::string function;
    bool apply = false;
  };
  std::map<const Instruction*, Of> places;
  for (const Function* f : functions)
    for (size_t d = 0; d < f->devices.size(); ++d) {
      const auto& compute = f->devices[d].queues[static_cast<int>(Queue::kCompute)].compute;
      const auto alive = bytes_alive(*f, d);
      for (size_t i = 0; i < compute.size(); ++i) memory[&compute[i]] = alive[i];
      for (const Sequence& s : f->devices[d].queues)
        for (const auto* part : {&s.compute, &s.apply})
          for (const Instruction& i : *part) places[&i] = {f->name, part == &s.apply};
    }
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
      const auto& [function, apply] = places[&i];
      list.push_back({{"ph", "X"},
                      {"name", kernel ? (i.layer().empty() ? i.op() : i.layer() + " " + i.op()) : name_of(i.command)},
                      {"cat", name_of(i.command)},
                      {"pid", device},
                      {"tid", queue},
                      {"ts", microseconds(e.start)},
                      {"dur", microseconds(e.end) - microseconds(e.start)},
                      {"args",
                       {{"source", i.source()},
                        {"kernel", kernel ? kernel->kernel : ""},
                        {"layer", i.layer()},
                        {"function", function},
                        {"part", apply ? "apply" : "compute"},
                        {"step", e.step}}}});
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
