#include "runtime/forecast.h"

#include <algorithm>

namespace cutset {

std::map<const Instruction*, Alive> bytes_alive(const Function& f, size_t device) {
  struct Piece {
    int64_t first = -1, last = -1;
    bool whole_step = false, scratch = false;
    uint64_t bytes = 0;
  };
  std::map<int32_t, Piece> pieces;  // by the buffer whose memory it is
  auto root = [&](int32_t b) {
    while (f.buffers[static_cast<size_t>(b)].view_of != kNone) b = f.buffers[static_cast<size_t>(b)].view_of;
    return b;
  };
  auto touch = [&](int32_t b, int64_t at, bool scratch) {
    const Buffer& buffer = f.buffers[static_cast<size_t>(root(b))];
    if (buffer.storage != Storage::kArena) return;
    Piece& p = pieces[root(b)];
    p.bytes = static_cast<uint64_t>(buffer.type.bytes());
    p.scratch |= scratch;
    if (at < 0) p.whole_step = true;
    if (p.first < 0) p.first = at;
    p.last = std::max(p.last, at);
  };
  const auto& compute = f.devices[device].queues[static_cast<int>(Queue::kCompute)].compute;
  for (int q = 0; q < kQueues; ++q) {
    const auto& list = f.devices[device].queues[q].compute;
    for (size_t i = 0; i < list.size(); ++i) {
      const int64_t at = q == static_cast<int>(Queue::kCompute) ? static_cast<int64_t>(i) : -1;
      for (int32_t b : list[i].operands) touch(b, at, false);
      for (int32_t b : list[i].results) touch(b, at, false);
      if (list[i].scratch != kNone) touch(list[i].scratch, at, true);
    }
  }
  std::map<const Instruction*, Alive> alive;
  for (size_t i = 0; i < compute.size(); ++i) {
    Alive& a = alive[&compute[i]];
    for (const auto& [b, p] : pieces) {
      if (!p.whole_step && (static_cast<int64_t>(i) < p.first || p.last < static_cast<int64_t>(i))) continue;
      (p.scratch ? a.scratch : p.whole_step ? a.transfers : a.activations) += p.bytes;
    }
  }
  return alive;
}

std::vector<DeviceForecast> forecast(const Program& program) {
  std::vector<DeviceForecast> list;
  for (const std::string& name : program.devices) list.emplace_back().device = name;
  for (const Variable& v : program.variables)
    for (int32_t home : v.homes) {
      DeviceForecast& d = list[static_cast<size_t>(home)];
      (v.state_of.empty() ? d.variables : d.optimizer) += static_cast<uint64_t>(v.type.bytes());
    }
  for (const Constant& c : program.constants) list[static_cast<size_t>(c.device)].constants += c.bytes.size();
  for (const Function& f : program.functions)
    for (size_t d = 0; d < f.devices.size(); ++d) {
      DeviceForecast& of = list[d];
      of.arenas += f.devices[d].arena_bytes;
      if (f.devices[d].arena_bytes < of.largest_arena || f.devices[d].arena_bytes == 0) continue;
      of.largest_arena = f.devices[d].arena_bytes, of.function = f.name;
      uint64_t most = 0;
      for (const auto& [instruction, alive] : bytes_alive(f, d)) {
        if (alive.total() <= most || instruction->kind != Instruction::Kind::kKernel) continue;
        most = alive.total();
        of.activations = alive.activations, of.transfers = alive.transfers, of.scratch = alive.scratch;
        of.op = instruction->op, of.label = instruction->label, of.source = instruction->source;
      }
    }
  return list;
}

Status check_budgets(const Program& program, const DeviceList& devices, const std::vector<uint64_t>& taken) {
  const auto forecasts = forecast(program);
  for (size_t d = 0; d < forecasts.size(); ++d) {
    const DeviceForecast& f = forecasts[d];
    const uint64_t budget = devices[d]->info().memory_bytes,
                   needed = taken[d] ? taken[d] + f.constants + f.arenas : f.total();
    if (budget == 0 || needed <= budget) continue;
    auto n = [](uint64_t bytes) { return std::to_string(bytes); };
    Failure e =
        unavailable("device '" + f.device + "' has " + n(budget) + " bytes; the program takes " + n(needed) +
                        ": variables " + n(f.variables) + ", optimizer " + n(f.optimizer) + ", constants " +
                        n(f.constants) + ", arenas " + n(f.arenas) +
                        (f.op.empty() ? ""
                                      : "; the fullest moment is '" + f.op + "'" +
                                            (f.label.empty() ? "" : " of " + f.label) + " in '" + f.function +
                                            "' with " + n(f.activations + f.transfers + f.scratch) + " bytes alive"),
                    "a smaller batch, more devices (strategy model), or more memory_bytes in the device file");
    e.where = f.source;
    return e;
  }
  return {};
}

}  // namespace cutset
