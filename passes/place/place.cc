// place: gives every op a device and a reason, and every variable a home.
//
//   cutset.variable @w : tensor<8x8xf32>           cutset.variable @w : tensor<8x8xf32> home ["cpu:0"]
//   %w = cutset.read @w                            %w = cutset.read @w
//   %0 = cutset.matmul %x, %w id 1            ->   %0 = cutset.matmul %x, %w on "cpu:0" because "split 1 of 2: ..."
//   %1 = cutset.relu %0 on "cpu:1"                 %1 = cutset.relu %0 on "cpu:1"
//            because "user" id 2                            because "user" id 2
//
// Problem: a device for each group of ops (passes/support/cost_groups.h).
// Method: pins of the user come first, then the lines of a plan, then the strategy. `model` and `pipeline` split the chain
//   of groups in program order over the stages of the replica (stages.h) so that the largest estimated work of a stage is
//   minimal (graph/chain_partition.h, which names the source). A group that has a device can be in each stage of this
//   device. With other strategies, each replica runs on one device. In each replica, the home of a variable is the device
//   of the first op that reads it, and the update of the variable runs at its home.
// Complexity: O(ops * devices) for the costs, and the complexity of the chain partition.
// Failure: a diagnostic at an op that no device can run, or at a pin or a line of the plan that contradicts the
//   devices, the replicas or another decision.
#include <cmath>
#include <numeric>

#include "llvm/Support/FormatVariadic.h"
#include "passes/passes.h"
#include "passes/place/stages.h"
#include "passes/support/cost_groups.h"
#include "passes/support/value_origin.h"

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

  std::string device_names() const {
    std::string names;
    for (const auto& d : devices) names += (names.empty() ? "" : ",") + d->name();
    return names;
  }

  LogicalResult run(ModuleOp module) {
    if (failed(check_bodies(module))) return failure();
    chosen.clear(), stage_of.clear(), planned_homes.clear();
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
    costs.emplace(module, devices, replicas);
    if (failed(take_pins()) || failed(take_plan(module))) return failure();
    for (int64_t r = 0; r < replicas; ++r)
      if (failed(config.strategy.splits_graph() ? split_over_devices(module, r) : place_on_one_device(r)))
        return failure();
    apply();
    SmallVector<StringRef> names;
    for (const auto& d : devices) names.push_back(d->name());
    module->setAttr(kDevices, Builder(&getContext()).getStrArrayAttr(names));
    return homes(module);
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

  size_t devices_per_replica() const { return devices.size() / static_cast<size_t>(replicas); }
  size_t first_device(int64_t replica) const { return static_cast<size_t>(replica) * devices_per_replica(); }
  Stages stages_of(int64_t replica) const {
    return {devices, first_device(replica), devices_per_replica(), static_cast<size_t>(config.strategy.chunks())};
  }
  std::string replica_text(int64_t replica) const {
    const int64_t devices = config.strategy.tensor_devices(), of_batch = config.strategy.replicas();
    std::string text = of_batch == 1 ? "" : llvm::formatv("replica {0} of {1}", replica / devices + 1, of_batch).str();
    if (devices > 1)
      text += llvm::formatv("{0}device {1} of {2} of the tensor axis", text.empty() ? "" : ", ", replica % devices + 1,
                            devices)
                  .str();
    return text;
  }

  // Whether an earlier compilation of the session has made the plan. The costs of the groups that such a plan places
  // are not estimated again. If a device cannot run one of their ops with the new shapes, `lower` refuses the op.
  bool plan_of_session() const { return plan && plan->program.empty(); }

  // Chooses a device for a group. Fails if the device belongs to another replica or cannot run an op of the group.
  LogicalResult choose(Group& group, size_t device, std::string reason) {
    const size_t first = first_device(group.key.replica);
    if (device < first || device >= first + devices_per_replica())
      return group.ops.front()->emitOpError() << "is to run on " << devices[device]->name() << " (" << reason
                                              << "), which is not a device of " << replica_text(group.key.replica);
    if (!plan_of_session()) costs->estimate(group);
    if (!group.seconds.empty() && std::isinf(group.seconds[device]))
      return group.ops.front()->emitOpError()
             << "cannot run on " << devices[device]->name() << " (" << reason << "): " << group.refusals[device];
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
          return op->emitOpError() << "is placed on " << op.placement().device << ", which is not among the devices "
                                   << device_names();
        if (failed(choose(group, static_cast<size_t>(device), "user"))) return failure();
      }
    return success();
  }

  // "line 12 of the plan", or "the plan" if the plan does not come from a text.
  static std::string line_text(int line) { return line ? "line " + std::to_string(line) + " of the plan" : "the plan"; }

  LogicalResult take_plan(ModuleOp module) {
    if (!plan) return success();
    const bool of_user = !plan_of_session();
    auto name = module->getAttrOfType<StringAttr>(kProgram);
    if (of_user && name && name.getValue() != plan->program)
      return module.emitError() << "the plan was made for the program '" << plan->program << "'; this is the program "
                                << name;
    std::map<GroupKey, Group*> known;
    int64_t last = 0;
    for (Group& group : groups) known[group.key] = &group, last = std::max(last, group.key.id);
    for (const Plan::Op& wanted : plan->ops) {
      if (wanted.replica >= replicas)
        return module.emitError() << line_text(wanted.line) << " places op " << wanted.id << " of replica "
                                  << wanted.replica << "; the number of replicas is " << replicas
                                  << ", and they are numbered from 0";
      auto it = known.find({wanted.replica, wanted.id});
      // With another batch size, ops may have been folded. A missing id is an error only if it exceeds all known ids.
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
    // In a plan of the session, the id of an op that joins rows may belong to another op here, because these ids depend
    // on which functions are compiled together.
    if (!of_user && llvm::none_of(group.ops, named)) return success();
    if (llvm::none_of(group.ops, named))
      return op->emitOpError() << "has the id " << group.key.id << "; " << line_text(wanted.line) << " calls it '"
                               << wanted.op << "'";
    if (group.updates) {
      if (!of_user) return success();
      return op->emitOpError() << "is an update, which runs on the home of its variable, so " << line_text(wanted.line)
                               << " cannot place it (edit the line of the variable instead)";
    }
    const int device = index_of(wanted.device);
    if (device < 0)
      return op->emitOpError() << "is to run on \"" << wanted.device << "\" (" << line_text(wanted.line)
                               << "), which is not among the devices " << device_names();
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
        return variable.emitOpError() << "has " << replicas << (replicas == 1 ? " copy" : " copies") << "; "
                                      << line_text(home.line) << " names " << home.devices.size() << " devices for it";
      for (size_t r = 0; r < home.devices.size(); ++r) {
        const int device = index_of(home.devices[r]);
        const size_t first = first_device(static_cast<int64_t>(r));
        if (device < 0)
          return variable.emitOpError() << "is to live on \"" << home.devices[r] << "\" (" << line_text(home.line)
                                        << "), which is not among the devices " << device_names();
        if (static_cast<size_t>(device) < first || static_cast<size_t>(device) >= first + devices_per_replica())
          return variable.emitOpError() << "is to live on " << home.devices[r] << " (" << line_text(home.line)
                                        << "), which is not a device of " << replica_text(static_cast<int64_t>(r));
      }
      planned_homes[home.variable] = &home;
    }
    return success();
  }

  // Whether the strategy decides about the group.
  bool is_open(const Group& group) const { return !group.updates && !chosen.contains(group.key); }

  LogicalResult place_on_one_device(int64_t replica) {
    for (Group& group : groups)
      if (group.key.replica == replica && is_open(group) &&
          failed(choose(group, first_device(replica), replicas == 1 ? "the only device" : replica_text(replica))))
        return failure();
    return success();
  }

  // The chain of groups of a replica, and the device of each group that has one, or else -1.
  struct Chain {
    SmallVector<Group*> groups;
    SmallVector<int> fixed;
  };
  // Without `fixed`, the chain has only the groups about which the strategy decides.
  Chain chain_of(int64_t replica, bool fixed) {
    Chain chain;
    for (Group& group : groups) {
      if (group.key.replica != replica || group.updates || (!fixed && !is_open(group))) continue;
      auto its = chosen.find(group.key);
      chain.groups.push_back(&group);
      chain.fixed.push_back(its == chosen.end() ? -1 : static_cast<int>(its->second.first));
    }
    return chain;
  }
  Result<ChainSplit> split(ModuleOp module, const Stages& stages, const Chain& chain) {
    std::map<GroupKey, size_t> position;
    for (Group* group : chain.groups) position.emplace(group->key, position.size()), costs->estimate(*group);
    return split_chain(
        chain_problem(stages, chain.groups, crossing_bytes(module, position, position.size()), chain.fixed));
  }

  LogicalResult split_over_devices(ModuleOp module, int64_t replica) {
    const Stages stages = stages_of(replica);
    const auto open = [&](const Group& g) { return g.key.replica == replica && is_open(g); };
    if (stages.chunks == 1 && llvm::none_of(groups, open)) return success();
    Chain chain = chain_of(replica, true);
    std::vector<int> stage = first_stages(stages, chain.fixed);
    // A plan of the session has all devices, and consecutive stages are on different devices.
    if (stages.chunks > 1 && plan_of_session()) {
      if (stage.size() < chain.groups.size()) return refuse_order(stages, chain.groups, chain.fixed, stage.size());
      return take_stages(stages, chain, stage, {});
    }
    auto result = split(module, stages, chain);
    if (!result && stages.chunks == 1) {  // what the user has placed does not follow the order of the devices
      chain = chain_of(replica, false);
      result = split(module, stages, chain);
    }
    if (result) return take_stages(stages, chain, result->device, result->load);
    for (const Group* group : chain.groups)
      if (llvm::all_of(ArrayRef(group->seconds).slice(stages.first, stages.per_replica),
                       [](double s) { return std::isinf(s); })) {
        auto e = group->ops.front()->emitOpError() << "runs on none of the devices";
        for (const auto& why : ArrayRef(group->refusals).slice(stages.first, stages.per_replica)) e << "; " << why;
        return failure();
      }
    if (llvm::any_of(chain.fixed, [](int device) { return device >= 0; }))
      return refuse_order(stages, chain.groups, chain.fixed, stage.size());
    return refuse(chain.groups.front()->ops.front()->getLoc(), result.error());
  }

  LogicalResult take_stages(const Stages& stages, const Chain& chain, ArrayRef<int> stage, ArrayRef<double> load) {
    const double total = std::accumulate(load.begin(), load.end(), 0.0);
    for (size_t i = 0; i < chain.groups.size(); ++i) {
      const auto s = static_cast<size_t>(stage[i]);
      if (stages.chunks > 1) stage_of[chain.groups[i]->key] = stage[i];
      if (!is_open(*chain.groups[i])) continue;
      std::string reason = stages.text(s);
      if (!load.empty()) reason += llvm::formatv(": {0:P0} of the estimated time", total > 0 ? load[s] / total : 0);
      if (replicas > 1) reason = replica_text(chain.groups[i]->key.replica) + ", " + reason;
      if (failed(choose(*chain.groups[i], stages.device_of(s), reason))) return failure();
    }
    return success();
  }

  // Writes the chosen devices and reasons to the ops.
  void apply() {
    for (Group& group : groups)
      if (auto it = chosen.find(group.key); it != chosen.end())
        for (ir::PlacedOpInterface op : group.ops) {
          set(op, it->second.first, it->second.second + piece_text(op));
          if (auto stage = stage_of.find(group.key); stage != stage_of.end()) set_stage(op, stage->second);
        }
  }
  // What an op computes on a tensor axis.
  std::string piece_text(Operation* op) const {
    if (config.strategy.tensor_devices() == 1 || op->getNumResults() == 0) return "";
    const auto piece = origin_of(op).piece;
    return piece.layout >= 0          ? ": dimension " + std::to_string(piece.layout) + " is divided"
           : piece.layout == kPartial ? ": a partial sum"
                                      : ": whole";
  }
  void set(ir::PlacedOpInterface op, size_t device, const std::string& reason) {
    op.placement().device = StringAttr::get(&getContext(), devices[device]->name());
    op.placement().reason = StringAttr::get(&getContext(), reason);
  }

  void set_stage(Operation* op, int64_t stage) {
    op->setAttr(kStage, IntegerAttr::get(IntegerType::get(&getContext(), 64), stage));
  }
  // Chooses the home of each variable in each replica: the home that the plan names, or else the device of the first op
  // of the replica that reads the variable and is not an update, or else, in a replica without samples, the first device of the
  // replica. The states of the optimizer have the home of their variable, and the update runs there.
  LogicalResult homes(ModuleOp module) {
    std::map<std::string, SmallVector<StringAttr>> homes;
    for (auto v : module.getOps<ir::VariableOp>()) {
      auto& list = homes[v.getSymName().str()];
      list.resize(static_cast<size_t>(replicas));
      if (auto planned = planned_homes.find(v.getSymName().str()); planned != planned_homes.end())
        for (size_t r = 0; r < list.size(); ++r) list[r] = StringAttr::get(&getContext(), planned->second->devices[r]);
    }
    auto home = [&](ir::ReadOp read) -> StringAttr& {
      return homes[read.getVariable().str()][static_cast<size_t>(read.getReplica())];
    };
    for (auto function : module.getOps<func::FuncOp>())
      for (auto op : function.getOps<ir::PlacedOpInterface>())
        if (op.placement().device)
          for (Value v : op->getOperands())
            if (auto read = v.getDefiningOp<ir::ReadOp>();
                read && !home(read) && static_cast<int64_t>(read.getReplica()) == op.placement().replica)
              home(read) = op.placement().device;
    for (auto& [name, list] : homes)
      for (size_t r = 0; r < list.size(); ++r)
        if (!list[r]) list[r] = StringAttr::get(&getContext(), devices[first_device(static_cast<int64_t>(r))]->name());
    for (Group& group : groups) {
      if (!group.updates) continue;
      // The other op of the group, the sum of the gradients of the variable, runs where the update runs.
      for (ir::PlacedOpInterface op : group.ops) {
        if (cast<ir::CutsetOpInterface>(*op).op_info().updates == 0) continue;
        auto first = op->getOperand(0).getDefiningOp<ir::ReadOp>();
        if (!first) return op->emitOpError("updates something that is not a variable");
        const StringAttr at = home(first);
        if (failed(choose(group, static_cast<size_t>(index_of(at)), "home of @" + first.getVariable().str())))
          return failure();
        set(op, chosen[group.key].first, chosen[group.key].second);
        const auto updated = static_cast<size_t>(cast<ir::CutsetOpInterface>(*op).op_info().updates);
        for (Value v : op->getOperands().take_front(updated).drop_front()) {  // the states of the optimizer
          auto state = v.getDefiningOp<ir::ReadOp>();
          if (!state) continue;
          auto planned = planned_homes.find(state.getVariable().str());
          if (planned != planned_homes.end() && home(state) != at)
            return op->emitOpError() << "keeps its state @" << state.getVariable() << " with @" << first.getVariable()
                                     << " on " << at << "; " << line_text(planned->second->line) << " says "
                                     << home(state);
          home(state) = at;
        }
      }
      const auto& [device, reason] = chosen[group.key];
      for (ir::PlacedOpInterface op : group.ops)
        if (cast<ir::CutsetOpInterface>(*op).op_info().updates == 0) {
          set(op, device, reason);
          if (config.strategy.chunks() > 1) set_stage(op, stage_of_sum(stages_of(group.key.replica), op, device));
        }
    }
    module.walk([&](ir::VariableOp v) {
      const auto& list = homes[v.getSymName().str()];
      v.setHomesAttr(ArrayAttr::get(&getContext(), SmallVector<Attribute>(list.begin(), list.end())));
    });
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> create_place(const CompileConfig& config) { return std::make_unique<Place>(config); }

}  // namespace cutset::passes
