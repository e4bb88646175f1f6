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
//   estimated work of a stage is minimal (graph/partition/chain_partition.h, which names the source). A group
//   that has a device can be in each stage of this device. With other strategies, each replica runs on one
//   device. In each replica, the home of a variable is the device of the first op that reads it, and the
//   update of the variable runs at its home.
// Complexity: O(ops * devices) for the costs, and the complexity of the chain partition.
// Failure: a diagnostic at an op that no device can run, or at a pin or a line of the plan that contradicts
//   the devices, the replicas or another decision.
#include <cmath>
#include <numeric>

#include "llvm/Support/FormatVariadic.h"
#include "passes/passes.h"
#include "passes/place/plan.h"
#include "passes/place/reasons.h"
#include "passes/place/schedules.h"
#include "passes/place/stages.h"
#include "passes/place/variable_homes.h"
#include "passes/support/placement/cost_groups.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_PLACE
#include "passes/passes.h.inc"

namespace {

struct Place : ModulePass<Place, impl::PlaceBase> {
  using ModulePass::ModulePass;

  const DeviceList& devices = config.devices;
  const std::optional<Plan>& plan = config.plan;
  std::vector<Group> groups;
  std::optional<Costs> costs;
  std::map<GroupKey, std::pair<size_t, std::string>> chosen;  // group -> device and reason
  std::map<GroupKey, int64_t> stage_of;                       // only if devices have several stages
  std::map<GroupKey, int> planned_stages;                     // those that the plan names
  std::map<std::string, const Plan::Home*> planned_homes;
  int64_t replicas = 1;

  LogicalResult refuse(Location loc, const Failure& e) {
    return emitError(loc) << (e.hint.empty() ? e.what : e.what + " (" + e.hint + ")");
  }
  int index_of(StringRef device) const {
    for (size_t d = 0; d < devices.size(); ++d)
      if (devices[d]->name() == device) return static_cast<int>(d);
    return -1;
  }

  LogicalResult run(ModuleOp module) {
    if (failed(check_bodies(module))) return failure();
    chosen.clear(), stage_of.clear(), planned_stages.clear(), planned_homes.clear();
    auto split = module->getAttrOfType<IntegerAttr>(kReplicas);
    replicas = split ? split.getInt() : 1;
    if (config.strategy.copies() != replicas)
      return module.emitError() << "the module has " << replicas << " replicas, not as many as '"
                                << config.strategy.text() << "' says";
    if (static_cast<size_t>(replicas) > devices.size())
      return module.emitError() << replicas << " replicas need at least " << replicas
                                << " devices; the number of devices is " << devices.size();
    if (failed(check_replicas(module))) return failure();
    module.walk([](ir::PlacedOpInterface op) {  // removes what an earlier run of the pass chose
      if (!op.placement().by_user()) op.placement().device = {}, op.placement().reason = {};
      op->removeAttr(kStage);
    });
    groups = collect_groups(module);
    const Pipeline* pipeline = config.strategy.find<Pipeline>();
    costs.emplace(module, devices, grid(), pipeline && !pipeline->recompute.empty());
    if (failed(take_pins()) || failed(take_plan(module))) return failure();
    for (int64_t r = 0; r < config.strategy.replicas(); ++r)
      if (config.strategy.splits_graph() && failed(split_over_devices(module, r))) return failure();
    for (Group& group : groups)
      if (!config.strategy.splits_graph() && is_open(group) && failed(choose_only_device(group)))
        return failure();
    apply();
    SmallVector<StringRef> names;
    for (const auto& d : devices) names.push_back(d->name());
    module->setAttr(kDevices, Builder(&getContext()).getStrArrayAttr(names));
    return failure(failed(homes(module)) || failed(set_schedules(module, config)));
  }

  LogicalResult check_replicas(ModuleOp module) {
    const auto walked = module.walk([&](Operation* op) {
      int64_t replica = 0;
      if (auto placed = dyn_cast<ir::PlacedOpInterface>(op)) replica = placed.placement().replica;
      if (auto read = dyn_cast<ir::ReadOp>(op)) replica = static_cast<int64_t>(read.getReplica());
      if (auto assign = dyn_cast<ir::AssignOp>(op)) replica = static_cast<int64_t>(assign.getReplica());
      if (replica < replicas) return WalkResult::advance();
      op->emitOpError() << "belongs to replica " << replica << "; the number of replicas is " << replicas
                        << ", and they are numbered from 0";
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }

  DeviceGrid grid() const {
    return {devices.size(), static_cast<size_t>(replicas),
            static_cast<size_t>(config.strategy.tensor_devices())};
  }
  Stages stages() const {
    return {devices, grid(), static_cast<size_t>(config.strategy.chunks()), config.strategy.find<Pipeline>()};
  }

  // Whether an earlier compilation of the session has made the plan. The costs of the groups that such a plan
  // places are not estimated again. If a device cannot run one of their ops with the new shapes, `lower`
  // refuses the op.
  bool plan_of_session() const { return plan && plan->program.empty(); }

  // Chooses a device for a group. Fails if the device belongs to another replica or cannot run an op of the
  // group.
  LogicalResult choose(Group& group, size_t device, std::string reason) {
    if (grid().copy_of(device) != group.key.replica)
      return group.ops.front()->emitOpError()
             << "is to run on " << devices[device]->name() << " (" << reason << "), which is not a device of "
             << copy_text(config.strategy, group.key.replica);
    if (!plan_of_session()) costs->estimate(group);
    if (!group.seconds.empty() && std::isinf(group.seconds[device]))
      return group.ops.front()->emitOpError() << "cannot run on " << devices[device]->name() << " (" << reason
                                              << "): " << group.refusals[device];
    chosen[group.key] = {device, std::move(reason)};
    return success();
  }

  LogicalResult take_pins() {
    for (Group& group : groups)
      for (ir::PlacedOpInterface op : group.ops) {
        if (!op.placement().by_user()) continue;
        if (group.updates) return op->emitOpError("is pinned, but an update runs where its variable lives");
        const int device = index_of(op.placement().device.getValue());
        if (device < 0)
          return op->emitOpError() << "is placed on " << op.placement().device
                                   << ", which is not among the devices " << names_text(devices);
        if (failed(choose(group, static_cast<size_t>(device), "user"))) return failure();
      }
    return success();
  }

  LogicalResult take_plan(ModuleOp module) {
    if (!plan) return success();
    const bool of_user = !plan_of_session();
    auto name = module->getAttrOfType<StringAttr>(kProgram);
    if (of_user && name && name.getValue() != plan->program)
      return module.emitError() << "the plan was made for the program '" << plan->program
                                << "'; this is the program " << name;
    std::map<GroupKey, Group*> known;
    int64_t last = 0;
    for (Group& group : groups) known[group.key] = &group, last = std::max(last, group.key.id);
    for (const Plan::Op& wanted : plan->ops) {
      if (wanted.replica >= replicas)
        return module.emitError() << line_text(wanted.line) << " places op " << wanted.id << " of replica "
                                  << wanted.replica << "; the number of replicas is " << replicas
                                  << ", and they are numbered from 0";
      auto it = known.find({wanted.replica, wanted.id});
      // With another batch size, ops may have been folded. A missing id is an error only if it exceeds all
      // known ids.
      if (it == known.end() && of_user && wanted.id > last)
        return module.emitError() << line_text(wanted.line) << " places op " << wanted.id
                                  << "; the ids of this program end at " << last;
      if (it != known.end() && failed(take_line(*it->second, wanted, of_user))) return failure();
    }
    return take_homes(module);
  }

  LogicalResult take_line(Group& group, const Plan::Op& wanted, bool of_user) {
    ir::PlacedOpInterface op = group.ops.front();
    auto named = [&](ir::PlacedOpInterface o) { return o->getName().stripDialect() == wanted.op; };
    // In a plan of the session, the id of an op that joins rows may belong to another op here, because these
    // ids depend on which functions are compiled together.
    if (!of_user && llvm::none_of(group.ops, named)) return success();
    if (llvm::none_of(group.ops, named))
      return op->emitOpError() << "has the id " << group.key.id << "; " << line_text(wanted.line)
                               << " calls it '" << wanted.op << "'";
    if (group.updates) {
      if (!of_user) return success();
      return op->emitOpError() << "is an update, which runs on the home of its variable, so "
                               << line_text(wanted.line)
                               << " cannot place it (edit the line of the variable instead)";
    }
    const int device = index_of(wanted.device);
    if (device < 0)
      return op->emitOpError() << "is to run on \"" << wanted.device << "\" (" << line_text(wanted.line)
                               << "), which is not among the devices " << names_text(devices);
    if (failed(check_stage(stages(), group, wanted, static_cast<size_t>(device)))) return failure();
    if (wanted.stage >= 0) planned_stages[group.key] = static_cast<int>(wanted.stage);
    if (auto pinned = chosen.find(group.key); pinned != chosen.end()) {
      if (pinned->second.first == static_cast<size_t>(device)) return success();
      return op->emitOpError() << "is pinned to " << devices[pinned->second.first]->name() << ", and "
                               << line_text(wanted.line) << " places it on " << wanted.device;
    }
    return choose(group, static_cast<size_t>(device), "plan");
  }

  LogicalResult take_homes(ModuleOp module) {
    const SymbolTable symbols(module);
    for (const Plan::Home& home : plan->homes) {
      auto variable = symbols.lookup<ir::VariableOp>(home.variable);
      if (!variable && plan_of_session()) continue;  // the state of an optimizer, which only @train has
      if (!variable)
        return module.emitError() << line_text(home.line) << " names the variable '" << home.variable
                                  << "', which the program does not have";
      if (home.devices.size() != static_cast<size_t>(replicas))
        return variable.emitOpError()
               << "has " << replicas << (replicas == 1 ? " copy" : " copies") << "; " << line_text(home.line)
               << " names " << home.devices.size() << " devices for it";
      for (size_t r = 0; r < home.devices.size(); ++r) {
        const int device = index_of(home.devices[r]);
        if (device < 0)
          return variable.emitOpError()
                 << "is to live on \"" << home.devices[r] << "\" (" << line_text(home.line)
                 << "), which is not among the devices " << names_text(devices);
        if (const int64_t copy = copy_at_home(variable, static_cast<int64_t>(r), config.strategy);
            grid().copy_of(static_cast<size_t>(device)) != copy)
          return variable.emitOpError() << "is to live on " << home.devices[r] << " (" << line_text(home.line)
                                        << "), which is not a device of " << copy_text(config.strategy, copy);
      }
      planned_homes[home.variable] = &home;
    }
    return success();
  }

  // Whether the strategy decides about the group.
  bool is_open(const Group& group) const { return !group.updates && !chosen.contains(group.key); }

  LogicalResult choose_only_device(Group& group) {
    return choose(group, grid().device(group.key.replica, 0),
                  replicas == 1 ? "the only device" : copy_text(config.strategy, group.key.replica));
  }

  using Chain = std::vector<ChainLayer>;
  // Makes the chain of a replica. Without `fixed`, it has only the groups about which the strategy decides. A
  // group of other functions than @train is in the layer before it, or in the first one, so that no stage has
  // such groups alone.
  LogicalResult chain_of(int64_t replica, bool fixed, Chain& chain) {
    std::map<int64_t, size_t> layer_of;  // by the id of the group
    bool begun = false;                  // whether the last layer has an op of @train, or a device
    for (Group& group : groups) {
      if (grid().replica_of(group.key.replica) != replica || group.updates || (!fixed && !is_open(group)))
        continue;
      const bool beside = is_open(group) && group.beside_training,
                 joins = !chain.empty() && (beside || !begun);
      const auto [its, fresh] = layer_of.try_emplace(group.key.id, joins ? chain.size() - 1 : chain.size());
      begun |= !beside;
      ChainLayer& layer = fresh && !joins ? chain.emplace_back() : chain[its->second];
      layer.copies.push_back(&group);
      auto known = chosen.find(group.key);
      if (known == chosen.end()) continue;
      const int position = static_cast<int>(grid().position_of(known->second.first));
      const auto planned = planned_stages.find(group.key);
      const int stage = planned == planned_stages.end() ? -1 : planned->second;
      if (layer.fixed >= 0 && (layer.fixed != position || layer.fixed_stage != stage))
        return group.ops.front()->emitOpError()
               << "is fixed to " << devices[known->second.first]->name() << " (" << known->second.second
               << "), and another device of its tensor axis has it in another stage (fix both to devices of "
                  "one stage)";
      layer.fixed = position, layer.fixed_stage = stage;
    }
    return success();
  }
  Result<ChainSplit> split(ModuleOp module, const Chain& chain) {
    std::map<GroupKey, size_t> position;
    for (auto [i, layer] : llvm::enumerate(chain))
      for (Group* group : layer.copies) position.emplace(group->key, i), costs->estimate(*group);
    std::vector<int64_t> bytes = crossing_bytes(module, position, chain.size());
    const auto links =
        static_cast<int64_t>(grid().tensor);  // the devices of a tensor axis transfer at the same time
    for (int64_t& b : bytes) b = (b + links - 1) / links;
    return split_chain(chain_problem(stages(), chain, bytes));
  }

  LogicalResult split_over_devices(ModuleOp module, int64_t replica) {
    const auto open = [&](const Group& g) {
      return grid().replica_of(g.key.replica) == replica && is_open(g);
    };
    const bool one_stage = config.strategy.chunks() == 1;  // per device
    if (one_stage && llvm::none_of(groups, open)) return success();
    Chain chain;
    if (failed(chain_of(replica, true, chain))) return failure();
    if (chain.empty()) return success();  // a module without functions
    std::vector<int> stage = first_stages(stages(), chain);
    // A plan of the session has all stages.
    if (!one_stage && plan_of_session()) {
      if (stage.size() < chain.size()) return refuse_order(stages(), chain, stage.size());
      return take_stages(chain, stage, {});
    }
    auto result = split(module, chain);
    if (!result && one_stage) {  // what the user has placed does not follow the order of the devices
      chain.clear();
      if (failed(chain_of(replica, false, chain))) return failure();
      result = split(module, chain);
    }
    if (result) return take_stages(chain, result->device, result->load);
    for (const ChainLayer& layer : chain)
      for (const Group* group : layer.copies)
        if (failed(refuse_if_nowhere(stages(), *group))) return failure();
    if (llvm::any_of(chain, [](const ChainLayer& layer) { return layer.fixed >= 0; }))
      return refuse_order(stages(), chain, stage.size());
    return refuse(chain.front().copies.front()->ops.front()->getLoc(), result.error());
  }
  LogicalResult take_stages(const Chain& chain, ArrayRef<int> stage, ArrayRef<double> load) {
    const double total = std::accumulate(load.begin(), load.end(), 0.0);
    for (auto [layer, number] : llvm::zip(chain, stage))
      for (Group* group : layer.copies) {
        const auto s = static_cast<size_t>(number);
        if (config.strategy.chunks() > 1) stage_of[group->key] = number;
        if (!is_open(*group)) continue;
        std::string reason = stages().text(group->key.replica, s);
        if (!load.empty()) reason += llvm::formatv(": {0:P0} of the time", total > 0 ? load[s] / total : 0);
        if (replicas > 1) reason = copy_text(config.strategy, group->key.replica) + ", " + reason;
        if (failed(choose(*group, stages().device_of(group->key.replica, s), reason))) return failure();
      }
    return success();
  }

  // Writes the chosen devices and reasons to the ops.
  void apply() {
    for (Group& group : groups)
      if (auto it = chosen.find(group.key); it != chosen.end())
        for (ir::PlacedOpInterface op : group.ops) {
          set(op, it->second.first, it->second.second + piece_text(config.strategy, op));
          if (auto stage = stage_of.find(group.key); stage != stage_of.end()) set_stage(op, stage->second);
        }
  }
  void set(ir::PlacedOpInterface op, size_t device, const std::string& reason) {
    op.placement().device = StringAttr::get(&getContext(), devices[device]->name());
    op.placement().reason = StringAttr::get(&getContext(), reason);
  }

  void set_stage(Operation* op, int64_t stage) {
    op->setAttr(kStage, IntegerAttr::get(IntegerType::get(&getContext(), 64), stage));
  }
  // Chooses the homes of all variables. The states of the optimizer have the home of their variable, and the
  // update runs there.
  LogicalResult homes(ModuleOp module) {
    VariableHomes homes(module, config, grid(), planned_homes);
    for (Group& group : groups) {
      if (!group.updates) continue;
      // The other ops of the group, such as the sum of the gradients of the variable, run where the update
      // runs.
      StringAttr at;  // the home of the variable, which is operand 0 of the first update
      ir::ReadOp first;
      for (ir::PlacedOpInterface op : group.ops) {
        if (cast<ir::CutsetOpInterface>(*op).op_info().updates == 0) continue;
        auto updates = op->getOperand(0).getDefiningOp<ir::ReadOp>();
        if (!updates) return op->emitOpError("updates something that is not a variable");
        if (!first) {
          first = updates;
          at = homes.of(first);
          if (failed(
                  choose(group, static_cast<size_t>(index_of(at)), "home of @" + first.getVariable().str())))
            return failure();
        }
        set(op, chosen[group.key].first, chosen[group.key].second);
        const auto updated = static_cast<size_t>(cast<ir::CutsetOpInterface>(*op).op_info().updates);
        for (Value v : op->getOperands().take_front(updated)) {  // the states of the optimizer
          auto state = v.getDefiningOp<ir::ReadOp>();
          if (!state || state.getVariable() == first.getVariable()) continue;
          auto planned = planned_homes.find(state.getVariable().str());
          if (planned != planned_homes.end() && homes.of(state) != at)
            return op->emitOpError() << "keeps its state @" << state.getVariable() << " with @"
                                     << first.getVariable() << " on " << at << "; "
                                     << line_text(planned->second->line) << " says " << homes.of(state);
          homes.of(state) = at;
        }
      }
      const auto& [device, reason] = chosen[group.key];
      for (ir::PlacedOpInterface op : group.ops)
        if (cast<ir::CutsetOpInterface>(*op).op_info().updates == 0) {
          set(op, device, reason);
          if (config.strategy.chunks() > 1) set_stage(op, stage_of_sum(stages(), op, device));
        }
    }
    homes.write();
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> create_place(const CompileConfig& config) { return std::make_unique<Place>(config); }

}  // namespace cutset::passes
