// place: gives every op a device and a reason, and every variable a home.
//
//   cutset.variable @w : tensor<8x8xf32>           cutset.variable @w : tensor<8x8xf32> home ["cpu:0"]
//   %w = cutset.read @w                            %w = cutset.read @w
//   %0 = cutset.matmul %x, %w id 1            ->   %0 = cutset.matmul %x, %w on "cpu:0" because "split 1 of 2: ..."
//   %1 = cutset.relu %0 on "cpu:1"                 %1 = cutset.relu %0 on "cpu:1"
//            because "user" id 2                            because "user" id 2
//
// Problem: a device for each group of ops (passes/support/cost_groups.h).
// Method: pins of the user come first, then the lines of a plan, then the strategy. The strategy `model` takes the
//   groups that are still open as a chain in program order, and splits it over the devices of the replica so that the
//   busiest device has the least estimated work (graph/chain_partition.h, which names the source). Without `model`,
//   each replica runs on one device. In each replica, the home of a variable is the device of the first op that reads
//   it, and the update of the variable runs at its home.
// Complexity: O(ops * devices) for the costs, and the complexity of the chain partition.
// Failure: a diagnostic at an op that no device can run, or at a pin or a line of the plan that contradicts the
//   devices, the replicas or another decision.
#include <cmath>

#include "graph/chain_partition.h"
#include "llvm/Support/FormatVariadic.h"
#include "passes/passes.h"
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
    chosen.clear(), planned_homes.clear();
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

  // The chain of groups of a replica as a problem for split_chain. A group that already has a device can run on no other
  // one. Without `fixed`, the chain has only the groups about which the strategy decides.
  ChainProblem chain_problem(ModuleOp module, int64_t replica, bool fixed, std::vector<Group*>& chain) {
    std::map<GroupKey, size_t> position;
    for (Group& group : groups) {
      if (group.key.replica != replica || group.updates || (!fixed && !is_open(group))) continue;
      position[group.key] = chain.size(), chain.push_back(&group);
      costs->estimate(group);
    }
    const size_t first = first_device(replica);
    const auto bytes = crossing_bytes(module, position, chain.size());
    ChainProblem problem;
    for (size_t i = 0; i < chain.size(); ++i) {
      const auto begin = chain[i]->seconds.begin() + static_cast<int64_t>(first);
      auto& seconds = problem.seconds.emplace_back(begin, begin + static_cast<int64_t>(devices_per_replica()));
      if (auto its = chosen.find(chain[i]->key); its != chosen.end())
        for (size_t d = 0; d < seconds.size(); ++d)
          if (first + d != its->second.first) seconds[d] = std::numeric_limits<double>::infinity();
      std::vector<double> transfer;
      for (size_t d = first; d + 1 < first + devices_per_replica(); ++d)
        transfer.push_back(i + 1 < chain.size()
                               ? devices[d]->transfer_seconds(bytes[i]) + devices[d + 1]->transfer_seconds(bytes[i])
                               : 0);
      problem.transfer.push_back(transfer);
    }
    return problem;
  }

  LogicalResult split_over_devices(ModuleOp module, int64_t replica) {
    if (llvm::none_of(groups, [&](const Group& g) { return g.key.replica == replica && is_open(g); })) return success();
    std::vector<Group*> chain;
    auto split = split_chain(chain_problem(module, replica, true, chain));
    if (!split) {  // what the user has placed does not follow the order of the devices
      chain.clear();
      split = split_chain(chain_problem(module, replica, false, chain));
    }
    const size_t first = first_device(replica);
    if (!split) {
      for (const Group* group : chain)
        if (std::all_of(group->seconds.begin() + static_cast<int64_t>(first),
                        group->seconds.begin() + static_cast<int64_t>(first + devices_per_replica()),
                        [](double s) { return std::isinf(s); })) {
          auto e = group->ops.front()->emitOpError() << "runs on none of the devices";
          for (size_t d = first; d < first + devices_per_replica(); ++d) e << "; " << group->refusals[d];
          return failure();
        }
      return refuse(chain.front()->ops.front()->getLoc(), split.error());
    }
    double total = 0;
    for (double load : split->load) total += load;
    for (size_t i = 0; i < chain.size(); ++i) {
      if (!is_open(*chain[i])) continue;
      const auto d = static_cast<size_t>(split->device[i]);
      std::string reason = llvm::formatv("split {0} of {1}: {2:P0} of the estimated time", d + 1, devices_per_replica(),
                                         total > 0 ? split->load[d] / total : 0);
      if (replicas > 1) reason = replica_text(replica) + ", " + reason;
      if (failed(choose(*chain[i], first + d, reason))) return failure();
    }
    return success();
  }

  // Writes the chosen devices and reasons to the ops.
  void apply() {
    for (Group& group : groups)
      if (auto it = chosen.find(group.key); it != chosen.end())
        for (ir::PlacedOpInterface op : group.ops) set(op, it->second.first, it->second.second + piece_text(op));
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
        if (cast<ir::CutsetOpInterface>(*op).op_info().updates == 0) set(op, device, reason);
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
