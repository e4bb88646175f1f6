// SPDX-License-Identifier: Apache-2.0
// The devices that are chosen for the groups of a module while `place` runs.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/config/plan.h"
#include "passes/passes.h"
#include "passes/place/stages.h"
#include "passes/support/placement/cost_groups.h"

namespace cutset::passes {

// The estimated largest load of a device per step, in seconds.
struct EmptyLoads {
  double as_placed = 0;
  double if_used = 0;  // if the device also had an op; infinity: no split gives it one
};

// First the pins, then a plan, and then the strategy add to the choices. None of them changes a choice that
// was made before.
class Choices {
 public:
  // The arguments must outlive the object. The strategy of `config` has the copies of the module.
  Choices(const CompileConfig& config, const Costs& costs, std::vector<Group>& groups)
      : config(config), costs(costs), groups(groups) {}

  const CompileConfig& config;
  const Costs& costs;
  std::vector<Group>& groups;
  std::map<GroupKey, std::pair<size_t, std::string>> chosen;  // the device and the reason
  std::map<GroupKey, int64_t> stage_of;                       // only if devices have several stages
  std::map<GroupKey, int> planned_stages;                     // the stages that a plan names
  std::map<std::string, const Plan::Home*> planned_homes;     // by variable

  std::map<size_t, EmptyLoads> empty;  // the devices that `model` has left empty

  DeviceGrid grid() const { return config.grid(); }
  Stages stages() const {
    return {config.devices, grid(), static_cast<size_t>(config.strategy.chunks()),
            config.strategy.find<Pipeline>()};
  }
  // Returns the index of the device in the list of the program, or -1.
  int index_of(llvm::StringRef device) const;
  // Whether an earlier compilation of the session has made the plan. The costs of the groups that such a plan
  // places are not estimated again. If a device cannot run one of their ops with the new shapes, `lower`
  // refuses the op.
  bool plan_of_session() const { return config.plan && config.plan->program.empty(); }
  // Whether the strategy decides about the group.
  bool is_open(const Group& group) const { return !group.updates && !chosen.contains(group.key); }

  // Chooses a device for a group. Fails with a diagnostic if the device belongs to another replica or cannot
  // run an op of the group.
  mlir::LogicalResult choose(Group& group, size_t device, std::string reason);
};

}  // namespace cutset::passes
