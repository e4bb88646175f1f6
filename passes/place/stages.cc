// SPDX-License-Identifier: Apache-2.0
#include "passes/place/stages.h"

#include <cmath>
#include <limits>

#include "llvm/Support/FormatVariadic.h"
#include "passes/passes.h"
#include "passes/place/reasons.h"

using namespace mlir;

namespace cutset::passes {

std::string Stages::text(int64_t copy, size_t stage) const {
  return llvm::formatv("stage {0} of {1}, chunk {2} of {3}", stage + 1, count(), stage / grid.per_copy() + 1,
                       devices[device_of(copy, stage)]->name());
}

ChainProblem chain_problem(const Stages& stages, ArrayRef<ChainLayer> chain, ArrayRef<int64_t> bytes) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  ChainProblem problem;
  for (size_t i = 0; i < chain.size(); ++i) {
    auto& seconds = problem.seconds.emplace_back();
    auto& transfer = problem.transfer.emplace_back();
    for (size_t s = 0; s < stages.count(); ++s) {
      const bool allowed = stages.allows(chain[i], s);
      double slowest = allowed ? 0 : kNever, slowest_transfer = 0;
      for (const Group* group : chain[i].copies) {
        const size_t device = stages.device_of(group->key.replica, s);
        slowest = std::max(
            slowest, group->seconds[device] + (stages.recomputes(s) ? group->seconds_again[device] : 0));
        if (s + 1 == stages.count() || i + 1 == chain.size()) continue;
        const size_t next = stages.device_of(group->key.replica, s + 1);
        slowest_transfer = std::max(slowest_transfer, stages.devices[device]->transfer_seconds(bytes[i]) +
                                                          stages.devices[next]->transfer_seconds(bytes[i]));
      }
      seconds.push_back(slowest);
      if (s + 1 < stages.count()) transfer.push_back(slowest_transfer);
    }
  }
  return problem;
}

ChainDevices chain_devices(const Stages& stages, ArrayRef<ChainLayer> chain, ArrayRef<int64_t> bytes) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  ChainDevices problem;
  problem.ends.resize(stages.grid.tensor);
  for (const ChainLayer& layer : chain) {
    auto& seconds = problem.seconds.emplace_back();
    for (size_t s = 0; s < stages.count(); ++s) {
      double slowest = stages.allows(layer, s) ? 0 : kNever;
      for (const Group* group : layer.copies)
        slowest = std::max(slowest, group->seconds[stages.device_of(group->key.replica, s)]);
      seconds.push_back(slowest);
    }
  }
  const int64_t first_copy = chain.front().copies.front()->key.replica;
  const auto lanes = static_cast<int64_t>(stages.grid.tensor);
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (const int64_t b : bytes) {
      auto& ends = problem.ends[static_cast<size_t>(lane)].emplace_back();
      for (size_t s = 0; s < stages.count(); ++s) {
        const size_t device = stages.device_of(stages.grid.replica_of(first_copy) * lanes + lane, s);
        ends.push_back(stages.devices[device]->transfer_seconds(b));
      }
    }
  return problem;
}

std::vector<int> first_stages(const Stages& stages, ArrayRef<ChainLayer> chain) {
  std::vector<int> list;
  size_t stage = 0;
  for (const ChainLayer& layer : chain) {
    while (stage < stages.count() && !stages.allows(layer, stage)) ++stage;
    if (stage == stages.count()) break;
    list.push_back(static_cast<int>(stage));
  }
  return list;
}

LogicalResult refuse_order(const Stages& stages, ArrayRef<ChainLayer> chain, size_t left) {
  size_t named = left;
  if (left == chain.size())  // a stage is left without a group, so the last group with a device is named
    for (size_t i = 0; i < chain.size(); ++i)
      if (chain[i].fixed >= 0) named = i;
  const Group& group = *chain[named].copies.front();
  const auto name = [&](size_t stage) {
    return stages.devices[stages.device_of(group.key.replica, stage)]->name();
  };
  constexpr size_t kMost = 8;
  std::string order;
  for (size_t s = 0; s < std::min(stages.count(), kMost); ++s) order += (s ? ", " : "") + name(s);
  return group.ops.front()->emitOpError()
         << "is fixed to "
         << (chain[named].fixed_stage < 0 ? "" : "stage " + std::to_string(chain[named].fixed_stage) + " on ")
         << name(static_cast<size_t>(chain[named].fixed)) << "; the layers of a pipeline with "
         << stages.chunks << " chunks per device follow its " << stages.count() << " stages, which are on "
         << order << (stages.count() > kMost ? ", ..." : "")
         << (left < chain.size() ? ", and no stage of this device is left after the layers before the op"
                                 : ", and some stage has no layer with the devices that are fixed")
         << " (fix the devices of fewer ops, or use fewer chunks)";
}

LogicalResult check_stage(const Stages& stages, const Group& group, const Plan::Op& line, size_t device) {
  const auto stage = static_cast<size_t>(line.stage), position = stages.grid.position_of(device);
  if (line.stage < 0 ||
      (stages.chunks > 1 && stage < stages.count() && stages.position_of(stage) == position))
    return success();
  auto error = group.ops.front()->emitOpError()
               << "is to be in stage " << stage << " (" << line_text(line.line) << "), and ";
  if (stages.chunks == 1)
    return error << "each device has one stage, which has no number (remove the number)";
  return error << line.device << " has the stages " << position << ", " << position + stages.grid.per_copy()
               << (stages.chunks > 2 ? ", ..." : "") << " of " << stages.count()
               << ", counted from 0 (change the stage or the device)";
}

LogicalResult refuse_if_nowhere(const Stages& stages, const Group& group) {
  std::string why;
  for (size_t position = 0; position < stages.grid.per_copy(); ++position) {
    const size_t device = stages.grid.device(group.key.replica, position);
    if (!std::isinf(group.seconds[device])) return success();
    why += "; " + group.refusals[device];
  }
  return group.ops.front()->emitOpError() << "runs on none of the devices" << why;
}

int64_t stage_of_sum(const Stages& stages, Operation* op, size_t device) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (Value v : op->getOperands())
    if (Operation* definer = v.getDefiningOp())
      if (auto stage = definer->getAttrOfType<IntegerAttr>(kStage)) least = std::min(least, stage.getInt());
  const auto step = static_cast<int64_t>(stages.grid.per_copy()),
             number = static_cast<int64_t>(stages.grid.position_of(device)),
             most = number + static_cast<int64_t>(stages.chunks - 1) * step;
  return least < number ? number : std::min(most, number + (least - number) / step * step);
}

}  // namespace cutset::passes
