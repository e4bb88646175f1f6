// SPDX-License-Identifier: Apache-2.0
// place: gives every op a device and a reason, and every variable a home.
//
//   cutset.variable @w : tensor<8x8xf32>           cutset.variable @w : tensor<8x8xf32> home ["cpu:0"]
//   %w = cutset.read @w                            %w = cutset.read @w
//   %0 = cutset.matmul %x, %w id 1            ->   %0 = cutset.matmul %x, %w on "cpu:0" because "split 1 of
//   2: ..." %1 = cutset.relu %0 on "cpu:1"                 %1 = cutset.relu %0 on "cpu:1"
//            because "user" id 2                            because "user" id 2
//
// Problem: a device for each group of ops (passes/support/placement/cost_groups.h).
// Method: pins of the user come first, then the lines of a plan, then the strategy. `model` and `pipeline`
//   split the chain of groups in program order over the stages of the replica (stages.h) so that the largest
//   estimated work of a stage is minimal. Under `pipeline`, every stage has groups
//   (graph/partition/chain_partition.h, which names the source). Under `model`, a device may be empty, and
//   the groups fit the memory of their devices, if this is possible (graph/partition/chain_devices.h). A
//   group that has a device can be in each stage of this device. With other strategies, each replica runs on
//   one device. In each replica, the home of a variable is the device of the first op that reads it, and the
//   update of the variable runs at its home.
// Complexity: O(ops * devices) for the costs, and the complexity of the chain partition.
// Failure: a diagnostic at an op that no device can run, or at a pin or a line of the plan that contradicts
//   the devices, the replicas or another decision.
#include <set>

#include "passes/passes.h"
#include "passes/place/place_updates.h"
#include "passes/place/reasons.h"
#include "passes/place/schedules.h"
#include "passes/place/split_over_devices.h"
#include "passes/place/take_plan.h"
#include "passes/support/placement/empty_devices.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_PLACE
#include "passes/passes.h.inc"

namespace {

struct Place : ModulePass<Place, impl::PlaceBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    if (failed(check_bodies(module)) || failed(check_copies(module))) return failure();
    module.walk([](ir::PlacedOpInterface op) {  // removes what an earlier run of the pass chose
      if (!op.placement().by_user()) {
        op.placement().device = {};
        op.placement().reason = {};
      }
      op->removeAttr(kStage);
    });
    std::vector<Group> groups = collect_groups(module);
    const Pipeline* pipeline = config.strategy.find<Pipeline>();
    const Costs costs(module, config.devices, config.grid(), pipeline && !pipeline->recompute.empty());
    Choices choices(config, costs, groups);
    if (failed(take_pins(choices)) || failed(take_plan(module, choices)) || failed(choose(module, choices)))
      return failure();
    apply(choices);
    SmallVector<StringRef> names;
    for (const auto& d : config.devices) names.push_back(d->name());
    module->setAttr(kDevices, Builder(&getContext()).getStrArrayAttr(names));
    if (failed(place_updates(module, choices)) || failed(set_schedules(module, config))) return failure();
    write_empty_devices(module, choices);
    return success();
  }

 private:
  // Checks that the devices and the module have the copies of the strategy.
  LogicalResult check_copies(ModuleOp module) {
    auto split = module->getAttrOfType<IntegerAttr>(kReplicas);
    const int64_t copies = split ? split.getInt() : 1;
    if (config.strategy.copies() != copies)
      return module.emitError() << "the module has " << copies << " replicas, not as many as '"
                                << config.strategy.text() << "' says";
    if (static_cast<size_t>(copies) > config.devices.size())
      return module.emitError() << copies << " replicas need at least " << copies
                                << " devices; the number of devices is " << config.devices.size();
    const auto walked = module.walk([&](Operation* op) {
      int64_t copy = 0;
      if (auto placed = dyn_cast<ir::PlacedOpInterface>(op)) copy = placed.placement().replica;
      if (auto read = dyn_cast<ir::ReadOp>(op)) copy = static_cast<int64_t>(read.getReplica());
      if (auto assign = dyn_cast<ir::AssignOp>(op)) copy = static_cast<int64_t>(assign.getReplica());
      if (copy < copies) return WalkResult::advance();
      op->emitOpError() << "belongs to replica " << copy << "; the number of replicas is " << copies
                        << ", and they are numbered from 0";
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }

  // Chooses the devices about which the strategy decides.
  LogicalResult choose(ModuleOp module, Choices& choices) {
    const FittedStrategy& strategy = config.strategy;
    if (strategy.splits_graph()) {
      for (int64_t r = 0; r < strategy.replicas(); ++r)
        if (failed(split_over_devices(module, choices, r))) return failure();
      return success();
    }
    for (Group& group : choices.groups) {
      if (!choices.is_open(group)) continue;
      const int64_t copy = group.key.replica;
      const std::string reason = strategy.copies() == 1 ? "the only device" : copy_text(strategy, copy);
      if (failed(choices.choose(group, choices.grid().device(copy, 0), reason))) return failure();
    }
    return success();
  }

  // Writes the devices without ops to the module. An update may run on a device that the split left empty, if
  // a plan names the device as a home.
  void write_empty_devices(ModuleOp module, const Choices& choices) {
    module->removeAttr(kEmptyDevices);
    std::set<size_t> used;
    for (const auto& [group, choice] : choices.chosen) used.insert(choice.first);
    Builder b(&getContext());
    SmallVector<NamedAttribute> empty;
    for (const auto& [device, loads] : choices.empty)
      if (!used.contains(device))
        empty.push_back(b.getNamedAttr(config.devices[device]->name(),
                                       b.getDenseF64ArrayAttr({loads.as_placed, loads.if_used})));
    if (!empty.empty()) module->setAttr(kEmptyDevices, b.getDictionaryAttr(empty));
  }

  // Writes the chosen devices and reasons to the ops.
  void apply(Choices& choices) {
    for (Group& group : choices.groups) {
      auto choice = choices.chosen.find(group.key);
      if (choice == choices.chosen.end()) continue;
      const auto& [device, reason] = choice->second;
      for (ir::PlacedOpInterface op : group.ops) {
        set_placement(op, choices, device, reason + piece_text(config.strategy, op));
        if (auto stage = choices.stage_of.find(group.key); stage != choices.stage_of.end())
          set_stage(op, stage->second);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Pass> create_place(const CompileConfig& config) { return std::make_unique<Place>(config); }

}  // namespace cutset::passes
