// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/forecast.h"

#include <algorithm>
#include <array>
#include <map>

#include "ir/core/half.h"
#include "ir/core/saturating.h"
#include "runtime/program/host_rows.h"
#include "runtime/program/lifetimes.h"
#include "runtime/program/order/expand.h"
#include "runtime/program/scratch_memory.h"
#include "runtime/program/variable_pieces.h"

namespace cutset {

namespace {

// Returns the forecasts without the peaks, which take more time to compute. Without `devices`, constants are
// not padded to their alignment, and the program takes no scratch memory. `step_memory`: MemoryDemand.
std::vector<DeviceForecast> sums(const Program& program, const DeviceList* devices = nullptr,
                                 const std::vector<uint64_t>& step_memory = {}) {
  std::vector<DeviceForecast> list;
  for (const std::string& name : program.devices) list.emplace_back().device = name;
  auto grow = [](uint64_t& sum, uint64_t bytes) { sum = saturating_sum(sum, bytes); };
  for (const Variable& v : program.variables)
    for (size_t h = 0; h < v.homes.size(); ++h) {
      DeviceForecast& d = list[static_cast<size_t>(v.homes[h])];
      grow(v.state_of.empty() ? d.variables : d.optimizer, bytes_of(type_at_home(v, h)));
    }
  for (const Constant& c : program.constants) {
    const auto d = static_cast<size_t>(c.device);
    grow(list[d].constants, constant_stride(c, devices ? (*devices)[d]->info().alignment : 1));
  }
  for (const Function& f : program.functions)
    for (size_t d = 0; d < f.devices.size(); ++d)
      if (f.devices[d].arena_bytes > list[d].arena) {
        list[d].arena = f.devices[d].arena_bytes;
        list[d].function = f.name;
      }
  for (size_t d = 0; d < step_memory.size(); ++d)
    list[d].scratch = std::max(step_memory[d], list[d].arena) - list[d].arena;
  return list;
}

}  // namespace

uint64_t constant_stride(const Constant& constant, uint64_t alignment) {
  const uint64_t whole = std::max<uint64_t>(alignment, 256);
  return (constant.bytes.size() + whole - 1) / whole * whole;
}

uint64_t DeviceForecast::total() const {
  return saturating_sum(saturating_sum(variables, optimizer),
                        saturating_sum(constants, saturating_sum(arena, scratch)));
}

std::vector<Alive> bytes_alive(const Function& f, size_t device) {
  const size_t count = f.devices[device].queues[kComputeQueue].compute.size();
  // At first, element i holds the change of each sum at instruction i. The loop at the end adds the changes
  // up.
  std::vector<Alive> alive(count + 1);
  const auto at = [&](int64_t i) -> Alive& {
    return alive[static_cast<size_t>(std::min(i, static_cast<int64_t>(count)))];
  };
  for (const auto& [b, lifetime] : lifetimes_of(f, device)) {
    const uint64_t bytes = bytes_of(f.buffers[b].type);
    const auto category = lifetime.transferred ? &Alive::transfers : &Alive::activations;
    at(lifetime.first).*category += bytes;
    at(lifetime.last + 1).*category -= bytes;
  }
  alive.pop_back();
  for (size_t i = 1; i < alive.size(); ++i)
    for (auto m : {&Alive::activations, &Alive::transfers}) alive[i].*m += alive[i - 1].*m;
  return alive;
}

namespace {

// Adds the peaks to the forecasts of a program.
void add_peaks(const Program& program, std::vector<DeviceForecast>& list) {
  std::map<std::string, Function> expanded;  // the functions that need the largest arena of a device
  for (size_t d = 0; d < list.size(); ++d) {
    DeviceForecast& of = list[d];
    const Function* compact = program.find(of.function);
    if (!compact) continue;  // no function uses memory of the arena on this device
    const auto [entry, first] = expanded.try_emplace(of.function);
    if (first) entry->second = expand(*compact);
    const Function& f = entry->second;
    uint64_t most = 0;
    const auto& compute = f.devices[d].queues[static_cast<int>(Queue::kCompute)].compute;
    const auto alive = bytes_alive(f, d);
    for (size_t i = 0; i < compute.size(); ++i) {
      if (alive[i].total() <= most || !compute[i].is<RunKernel>()) continue;
      most = alive[i].total();
      of.activations = alive[i].activations;
      of.transfers = alive[i].transfers;
      of.op = compute[i].op();
      of.layer = compute[i].layer();
      of.source = compute[i].source();
    }
  }
}

}  // namespace

Result<std::vector<DeviceForecast>> forecast(const Program& program, const DeviceList& devices) {
  CUTSET_ASSIGN(const std::vector<uint64_t> memory, step_memory(program, devices));
  auto list = sums(program, &devices, memory);
  add_peaks(program, list);
  return list;
}

uint64_t host_bytes(const Program& program) {
  constexpr uint64_t kInstruction = 1024, kEvent = 256, kBuffer = 192;
  uint64_t bytes = 0;
  auto add = [&](uint64_t more) { bytes = saturating_sum(bytes, more); };
  // Values of variables are drawn one after the other; 16-bit values are drawn as f32 first.
  uint64_t drawn = 0;
  for (const Variable& v : program.variables)
    if (v.drawn.is_set())
      drawn = std::max(drawn, is_half(v.type.dtype) ? 3 * bytes_of(v.type) : bytes_of(v.type));
  add(drawn);
  for (const Function& f : program.functions) {
    for (const Port& port : f.outputs) add(bytes_of(port.type));
    for (const Channel& c : f.channels) add(bytes_of(c.type));
    for (const Collective& c : f.collectives)
      for (size_t part = 0; part < c.partials.size(); ++part) add(bytes_of(c.type));
    add(f.buffers.size() * kBuffer);
    for (const DevicePlan& d : f.devices) {
      add(static_cast<uint64_t>(d.events) * kEvent);
      for (const Sequence& s : d.queues) {
        add((s.compute.size() + s.apply.size()) * kInstruction);
        for (const auto* list : {&s.compute, &s.apply})
          for (const Instruction& i : *list) add(staging_bytes(f, i));
      }
    }
  }
  return bytes;
}

Status check_memory_limit(const Program& program, uint64_t limit, const DeviceList* described) {
  const uint64_t host = host_bytes(program);
  uint64_t devices = 0;
  std::vector<uint64_t> memory;
  if (described) {
    CUTSET_ASSIGN(memory, step_memory(program, *described));
  }
  for (const DeviceForecast& f : sums(program, described, memory))
    devices = saturating_sum(devices, f.total());
  if (saturating_sum(host, devices) <= limit) return {};
  return unavailable("the program takes " + std::to_string(devices) + " bytes of its devices and " +
                         std::to_string(host) + " of the host, more than the limit of " +
                         std::to_string(limit),
                     "compile it for a smaller batch, or load it on a machine with more memory");
}

namespace {

// Returns the bytes of a program on a device that are not in the arena.
uint64_t beside_arena(const DeviceForecast& needs) {
  return saturating_sum(saturating_sum(needs.variables, needs.optimizer), needs.constants);
}

// Returns the bytes of the device that a session has when it has loaded the program.
uint64_t with_taken(const DeviceForecast& needs, const TakenMemory& taken) {
  const uint64_t outside =
      taken.outside ? saturating_sum(taken.outside, needs.constants) : beside_arena(needs);
  return saturating_sum(outside, std::max(taken.arena, saturating_sum(needs.arena, needs.scratch)));
}

// Returns, as text for an error, the variable of device `d` that takes the most memory and is not optimizer
// state. Empty if the device has none.
std::string largest_variable(const Program& program, size_t d) {
  const Variable* largest = nullptr;
  for (const Variable& v : program.variables)
    if (v.state_of.empty() &&
        std::find(v.homes.begin(), v.homes.end(), static_cast<int32_t>(d)) != v.homes.end() &&
        (!largest || v.type.bytes() > largest->type.bytes()))
      largest = &v;
  return largest ? " (the largest is '" + largest->name + "' of the type " + to_string(largest->type) + ")"
                 : "";
}

// Returns the categories of device `d`, and the op at the peak of its arena. Sets `where` to the line of the
// op.
std::string categories_on(const Program& program, std::vector<DeviceForecast> needs, size_t d,
                          std::string& where) {
  add_peaks(program, needs);
  const DeviceForecast& f = needs[d];
  auto n = [](uint64_t bytes) { return std::to_string(bytes); };
  where = f.source;
  return "variables " + n(f.variables) + largest_variable(program, d) + ", optimizer " + n(f.optimizer) +
         ", constants " + n(f.constants) + ", arena " + n(f.arena) + ", scratch memory " + n(f.scratch) +
         (f.op.empty()
              ? ""
              : "; the peak is at '" + f.op + "'" + (f.layer.empty() ? "" : " of " + f.layer) + " in '" +
                    f.function + "' with " + n(f.activations + f.transfers) + " bytes alive");
}

// Returns the beginning of a hint that says how the program takes less memory. The memory outside the arena
// does not depend on the batch, so a smaller batch helps only if this memory is within the limit.
std::string way_to_smaller(uint64_t beside_arena, uint64_t limit) {
  return beside_arena > limit ? "the variables do not fit, whatever the batch is: use "
                              : "use a smaller batch, ";
}

}  // namespace

Status check_budgets(const MemoryDemand& demand) {
  const auto needs = sums(demand.program, &demand.devices, demand.step_memory);
  for (size_t d = 0; d < needs.size(); ++d) {
    const uint64_t budget = demand.devices[d]->info().memory_bytes;
    const uint64_t needed = with_taken(needs[d], demand.taken[d]);
    if (budget == 0 || needed <= budget) continue;
    std::string where;
    const std::string categories = categories_on(demand.program, needs, d, where);
    Failure e = unavailable("device '" + needs[d].device + "' has " + std::to_string(budget) +
                                " bytes; the program takes " + std::to_string(needed) + ": " + categories,
                            way_to_smaller(beside_arena(needs[d]), budget) +
                                "more devices (strategy model), or a larger memory_bytes in the device file");
    e.source = where;
    return e;
  }
  return {};
}

Status check_machine(const MemoryDemand& demand, uint64_t usable) {
  const auto needs = sums(demand.program, &demand.devices, demand.step_memory);
  uint64_t all = 0, most = 0, without_arenas = 0;
  size_t largest = 0;
  for (size_t d = 0; d < needs.size(); ++d) {
    if (demand.devices[d]->info().memory_bytes != 0) continue;
    const uint64_t needed = with_taken(needs[d], demand.taken[d]);
    all = saturating_sum(all, needed);
    without_arenas = saturating_sum(without_arenas, beside_arena(needs[d]));
    if (needed > most) {
      most = needed;
      largest = d;
    }
  }
  if (all <= usable) return {};
  std::string where;
  const std::string categories = categories_on(demand.program, needs, largest, where);
  Failure e =
      unavailable("the program takes " + std::to_string(all) + " bytes of this machine's memory, which has " +
                      std::to_string(usable) + "; " + std::to_string(most) + " of them are for device '" +
                      needs[largest].device + "': " + categories,
                  way_to_smaller(without_arenas, usable) +
                      "smaller sizes of the model, or a machine with more memory; a "
                      "memory_bytes of the device in a device file replaces this limit");
  e.source = where;
  return e;
}

}  // namespace cutset
