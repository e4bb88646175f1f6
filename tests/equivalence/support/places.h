// SPDX-License-Identifier: Apache-2.0
// The places on which the roles of a program are called: the addresses of the buffers that a call passes.
#pragma once
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "runtime/program/program.h"

namespace cutset::testing {

using Place = std::tuple<Storage, uint64_t, int32_t, int32_t>;

// Returns the different lists of places of the arguments, by role.
inline std::map<RoleId, std::set<std::vector<Place>>> places_of_calls(const Function& f) {
  std::map<RoleId, std::set<std::vector<Place>>> of_role;
  for (const DevicePlan& d : f.devices)
    for (const Instruction& i : d.queues[static_cast<int>(Queue::kCompute)].compute) {
      const auto* call = i.as<CallRole>();
      if (!call) continue;
      std::vector<Place> places;
      for (FrameId a : call->arguments)
        for (BufferId id : f.frames[a].buffers) {
          const Buffer& b = f.buffers[id];
          places.emplace_back(b.storage, b.offset, b.variable.value, b.constant.value);
        }
      of_role[call->role].insert(std::move(places));
    }
  return of_role;
}

}  // namespace cutset::testing
