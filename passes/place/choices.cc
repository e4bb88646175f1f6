// SPDX-License-Identifier: Apache-2.0
#include "passes/place/choices.h"

#include <cmath>

#include "passes/place/reasons.h"

using namespace mlir;

namespace cutset::passes {

int Choices::index_of(StringRef device) const {
  for (size_t d = 0; d < config.devices.size(); ++d)
    if (config.devices[d]->name() == device) return static_cast<int>(d);
  return -1;
}

LogicalResult Choices::choose(Group& group, size_t device, std::string reason) {
  const std::string& name = config.devices[device]->name();
  if (grid().copy_of(device) != group.key.replica)
    return group.ops.front()->emitOpError()
           << "is to run on " << name << " (" << reason << "), which is not a device of "
           << copy_text(config.strategy, group.key.replica);
  if (!plan_of_session()) costs.estimate(group);
  if (!group.seconds.empty() && std::isinf(group.seconds[device]))
    return group.ops.front()->emitOpError()
           << "cannot run on " << name << " (" << reason << "): " << group.refusals[device];
  chosen[group.key] = {device, std::move(reason)};
  return success();
}

}  // namespace cutset::passes
