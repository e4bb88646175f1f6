// SPDX-License-Identifier: Apache-2.0
#include "passes/support/placement/cost_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>

#include "graph/partition/range_sums.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/support/graph_functions.h"
#include "passes/support/layout/folding.h"
#include "passes/support/layout/forward_ops.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Adds an op to the cost of its group on device `d`, or records why the device cannot run it.
void add_cost(Group& group, ir::PlacedOpInterface op, const DeviceList& devices, size_t d, bool counts,
              bool again) {
  const OpInfo& info = cast<ir::CutsetOpInterface>(*op).op_info();
  if (info.view || is_folded(op)) return;
  const FlatAttrs attributes = ir::flat_attributes(op);
  const Types in = ir::tensor_types(op->getOperands()), out = ir::tensor_types(op->getResults());
  const Cost cost = info.cost(attributes.data(), in);
  auto choice = devices[d]->choose(info, attributes.data(), in, out);
  if (!choice) {
    group.seconds[d] = std::numeric_limits<double>::infinity();
    if (group.refusals[d].empty()) group.refusals[d] = choice.error().what;
  } else if (counts) {
    const double seconds = devices[d]->seconds(cost);
    group.seconds[d] += seconds;
    if (again) group.seconds_again[d] += seconds;
  }
}

}  // namespace

std::vector<Group> collect_groups(ModuleOp module) {
  std::vector<Group> groups;
  std::list<size_t> order;  // the indices of the groups, in their order
  std::vector<std::list<size_t>::iterator> place;
  std::map<GroupKey, size_t> index;
  bool first = true;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto behind = first ? order.end() : order.begin();  // where the next new group is inserted
    function.walk([&](ir::PlacedOpInterface op) {
      auto [it, fresh] = index.try_emplace(key_of(op), groups.size());
      if (fresh) {
        groups.push_back({.key = key_of(op)});
        place.push_back(order.insert(behind, it->second));
      }
      if (!first) behind = std::next(place[it->second]);
      Group& group = groups[it->second];
      group.ops.push_back(op);
      group.updates |= cast<ir::CutsetOpInterface>(*op).op_info().updates > 0;
    });
    first = first && groups.empty();
  }
  const auto training = training_functions(module);
  std::vector<Group> sorted;
  for (const size_t number : order) {
    Group& group = sorted.emplace_back(std::move(groups[number]));
    group.beside_training = !training.empty() && llvm::none_of(group.ops, [&](ir::PlacedOpInterface op) {
      return llvm::is_contained(training, op->getParentOfType<func::FuncOp>());
    });
  }
  return sorted;
}

Costs::Costs(ModuleOp module, const DeviceList& devices, const DeviceGrid& grid, bool recompute)
    : devices_(devices), grid_(grid) {
  for (func::FuncOp function : training_functions(module)) {
    training_.insert(function);
    if (recompute) again_.insert_range(needed_by_backward_ops(function));
  }
}

void Costs::estimate(Group& group) const {
  if (!group.seconds.empty()) return;
  group.seconds.resize(devices_.size());
  group.refusals.resize(devices_.size());
  group.seconds_again.resize(devices_.size());
  const int64_t copy = grid_.copies == 1 ? 0 : group.key.replica;
  for (ir::PlacedOpInterface op : group.ops) {
    const bool counts = training_.empty() || training_.contains(op->getParentOfType<func::FuncOp>());
    for (size_t position = 0; position < grid_.per_copy(); ++position)
      add_cost(group, op, devices_, grid_.device(copy, position), counts, again_.contains(op));
  }
}

std::vector<int64_t> crossing_bytes(ModuleOp module, const std::map<GroupKey, size_t>& position,
                                    size_t positions) {
  RangeSums bytes(positions ? positions - 1 : 0);
  auto functions = training_functions(module);
  if (functions.empty()) functions.push_back(*module.getOps<func::FuncOp>().begin());
  auto at = [&](Operation* op) -> std::optional<size_t> {
    auto placed = dyn_cast<ir::PlacedOpInterface>(op);
    auto it = placed ? position.find(key_of(placed)) : position.end();
    return it == position.end() ? std::nullopt : std::optional<size_t>(it->second);
  };
  const auto add_results = [&](ir::PlacedOpInterface op) {
    auto from = at(op);
    if (!from) return;
    for (Value result : op->getResults()) {
      size_t low = *from, high = *from;
      for (OpOperand& use : result.getUses()) {
        auto rules = dyn_cast<ir::CutsetOpInterface>(use.getOwner());
        if (rules && rules.op_info().reads_type_only(use.getOperandNumber())) continue;
        if (auto to = at(use.getOwner())) {
          low = std::min(low, *to);
          high = std::max(high, *to);
        }
      }
      const int64_t size = ir::tensor_type(result.getType())->bytes();
      bytes.add(low, high, size);
    }
  };
  for (func::FuncOp function : functions) function.walk(add_results);
  return bytes.sums();
}

std::vector<double> replica_speeds(ModuleOp module, const DeviceList& devices, int64_t replicas) {
  std::vector<double> seconds(devices.size(), 0), speed(static_cast<size_t>(replicas), 0);
  if (replicas == 1) return {1};
  const Costs costs(module, devices, {.devices = devices.size()});
  for (Group& group : collect_groups(module)) {
    costs.estimate(group);
    for (size_t d = 0; d < devices.size(); ++d) seconds[d] += group.seconds[d];
  }
  const size_t per_replica = devices.size() / static_cast<size_t>(replicas);
  for (size_t d = 0; d < devices.size(); ++d)
    if (std::isfinite(seconds[d]) && seconds[d] > 0) speed[d / per_replica] += 1 / seconds[d];
  const double fastest = *std::max_element(speed.begin(), speed.end());
  if (!(fastest > 0)) return std::vector<double>(speed.size(), 1.0);
  for (double& s : speed) s /= fastest;
  return speed;
}

}  // namespace cutset::passes
