// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/memory_use.h"

#include <algorithm>

#include "runtime/program/forecast.h"

namespace cutset {

const Function& main_function(const Program& p) {
  const auto trains = [](const Function& f) {
    return std::ranges::any_of(f.devices, [](const DevicePlan& device) {
      return std::ranges::any_of(device.queues, [](const Sequence& queue) { return !queue.apply.empty(); });
    });
  };
  if (const Function* f = p.find("train")) return *f;
  const auto training = std::ranges::find_if(p.functions, trains);
  if (training != p.functions.end()) return *training;
  const Function* evaluate = p.find("evaluate");
  return evaluate ? *evaluate : p.functions.front();
}

Result<std::vector<MemoryUse>> memory_use(const Program& program, const DeviceList& devices) {
  std::vector<MemoryUse> list;
  CUTSET_ASSIGN(const auto forecasts, forecast(program, devices));
  const Function& f = main_function(program);
  for (size_t d = 0; d < f.devices.size(); ++d) {
    const DeviceForecast& of = forecasts[d];
    list.push_back({of.device, f.devices[d].arena_bytes, f.devices[d].lower_bound_bytes, of.arena,
                    of.variables, of.optimizer, of.constants, of.scratch, of.activations, of.transfers,
                    of.op + (of.layer.empty() ? "" : " of " + of.layer)});
  }
  return list;
}

}  // namespace cutset
