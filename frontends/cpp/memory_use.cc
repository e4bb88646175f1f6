#include "frontends/cpp/memory_use.h"

#include "runtime/program/forecast.h"

namespace cutset {

const Function& main_function(const Program& p) {
  for (const char* name : {"train", "evaluate"})
    if (const Function* f = p.find(name)) return *f;
  return p.functions.front();
}

std::vector<MemoryUse> memory_use(const Program& program) {
  std::vector<MemoryUse> list;
  const auto forecasts = forecast(program);
  const Function& f = main_function(program);
  for (size_t d = 0; d < f.devices.size(); ++d) {
    const DeviceForecast& of = forecasts[d];
    list.push_back({of.device, f.devices[d].arena_bytes, f.devices[d].lower_bound_bytes, of.arena, of.variables,
                    of.optimizer, of.constants, of.activations, of.transfers, of.scratch,
                    of.op + (of.layer.empty() ? "" : " of " + of.layer)});
  }
  return list;
}

}  // namespace cutset
