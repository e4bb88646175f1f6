// place: every op gets a device and the reason for it, every variable a home.
//
//   %0 = cutset.conv2d %x, %w id 1            %0 = cutset.conv2d ... on "cpu:0" because "user" id 1
//   %1 = cutset.relu %0 id 2             ->   %1 = cutset.relu ... on "opencl:0" because "split 2 of 2: ..." id 2
//   cutset.variable @w : tensor<4xf32>        cutset.variable @w : tensor<4xf32> home ["cpu:0"]
//
// In order: what the user said, what a plan says, the strategy. Each replica has its own group of devices; a
// variable lives, in each, where the first op that reads it runs, and its update runs there.
#include <cmath>

#include "graph/contiguous_split.h"
#include "graph/plan.h"
#include "graph/strategy.h"
#include "llvm/Support/FormatVariadic.h"
#include "passes/passes.h"
#include "passes/place/groups.h"

using namespace mlir;

namespace cutset::passes {
namespace {

struct Place : ModulePass<Place> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Place)
  static constexpr const char* kFlag = "place";
  static constexpr const char* kSummary = "Give every op a device and a reason";
  Place() = default;
  Place(const Place& o) : ModulePass(o), device_options(o.device_options), plan(o.plan) {}
  Option<std::string> names{*this, "devices", llvm::cl::desc("cpu:0,opencl:0")};
  Option<std::string> strategy{*this, "strategy", llvm::cl::desc("data(2) * model")};
  DeviceOptions device_options;
  std::optional<Plan> plan;

  DeviceList devices;
  std::vector<Group> groups;
  std::map<GroupKey, std::pair<size_t, std::string>> chosen;  // device, reason
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
    if (!names.empty()) device_options.devices = names, device_options.describe_only = true;
    if (failed(check_bodies(module))) return failure();
    auto described = describe_devices(device_options);
    if (!described) return refuse(module.getLoc(), described.error());
    devices = *described;
    chosen.clear(), planned_homes.clear();
    auto parsed = parse_strategy(strategy, devices.size());
    if (!parsed) return refuse(module.getLoc(), parsed.error());
    auto split = module->getAttrOfType<IntegerAttr>(kReplicas);
    replicas = split ? split.getInt() : 1;
    if (parsed->replicas != replicas && !strategy.empty())
      return module.emitError() << "the batch is split over " << replicas << " replicas, not as '" << strategy
                                << "' says";
    if (static_cast<size_t>(replicas) > devices.size())
      return module.emitError() << replicas << " replicas need as many devices, not " << devices.size();
    if (failed(check_replicas(module))) return failure();
    module.walk([](ir::PlacedOpInterface op) {  // what an earlier placement chose
      if (!op.placement().byUser()) op.placement().device = {}, op.placement().reason = {};
    });
    groups = collect_groups(module, devices);
    if (failed(takePins()) || failed(takePlan(module))) return failure();
    for (int64_t r = 0; r < replicas; ++r)
      if (failed(parsed->model ? splitChain(module, r) : allOnOne(r))) return failure();
    apply();
    SmallVector<StringRef> device_names;
    for (const auto& d : devices) device_names.push_back(d->name());
    module->setAttr(kDevices, Builder(&getContext()).getStrArrayAttr(device_names));
    return homes(module);
  }

  LogicalResult check_replicas(ModuleOp module) {
    const auto walked = module.walk([&](Operation* op) {
      int64_t replica = 0;
      if (auto placed = dyn_cast<ir::PlacedOpInterface>(op)) replica = placed.placement().share;
      if (auto read = dyn_cast<ir::ReadOp>(op)) replica = static_cast<int64_t>(read.getShare());
      if (auto assign = dyn_cast<ir::AssignOp>(op)) replica = static_cast<int64_t>(assign.getShare());
      if (replica < replicas) return WalkResult::advance();
      op->emitOpError() << "belongs to replica " << replica << "; there are " << replicas << ", counted from 0";
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }

  size_t each() const { return devices.size() / static_cast<size_t>(replicas); }
  size_t firstOf(int64_t replica) const { return static_cast<size_t>(replica) * each(); }
  std::string inReplica(int64_t replica) const {
    return replicas == 1 ? "" : llvm::formatv("replica {0} of {1}", replica + 1, replicas).str();
  }

  LogicalResult choose(const Group& group, size_t device, std::string reason) {
    const size_t first = firstOf(group.key.replica);
    if (device < first || device >= first + each())
      return group.ops.front()->emitOpError() << "is to run on " << devices[device]->name() << " (" << reason
                                              << "), which is none of the devices of " << inReplica(group.key.replica);
    if (std::isinf(group.seconds[device]))
      return group.ops.front()->emitOpError()
             << "cannot run on " << devices[device]->name() << " (" << reason << "): " << group.refusals[device];
    chosen[group.key] = {device, std::move(reason)};
    return success();
  }

  LogicalResult takePins() {
    for (const Group& group : groups)
      for (ir::PlacedOpInterface op : group.ops) {
        if (!op.placement().byUser()) continue;
        if (group.updates) return op->emitOpError("is pinned, but an update runs where its variable lives");
        const int device = index_of(op.placement().device.getValue());
        if (device < 0)
          return op->emitOpError() << "is placed on " << op.placement().device << ", which is not among the devices "
                                   << device_options.devices;
        if (failed(choose(group, static_cast<size_t>(device), "user"))) return failure();
      }
    return success();
  }

  // "line 12 of the plan", where the plan is the user's.
  static std::string lineOf(int line) { return line ? "line " + std::to_string(line) + " of the plan" : "the plan"; }

  LogicalResult takePlan(ModuleOp module) {
    if (!plan) return success();
    const bool of_user = !plan->program.empty();
    auto name = module->getAttrOfType<StringAttr>(kProgram);
    if (of_user && name && name.getValue() != plan->program)
      return module.emitError() << "the plan was made for the program '" << plan->program << "'; this is the program "
                                << name;
    std::map<GroupKey, const Group*> known;
    int64_t last = 0;
    for (const Group& group : groups) known[group.key] = &group, last = std::max(last, group.key.id);
    for (const Plan::Op& wanted : plan->ops) {
      if (wanted.replica >= replicas)
        return module.emitError() << lineOf(wanted.line) << " places op " << wanted.id << " of replica "
                                  << wanted.replica << "; there are " << replicas << ", counted from 0";
      auto it = known.find({wanted.replica, wanted.id});
      // Another size of the batch may have folded an op away, but it makes no new ids.
      if (it == known.end() && of_user && wanted.id > last)
        return module.emitError() << lineOf(wanted.line) << " places op " << wanted.id
                                  << "; the ids of this program end at " << last;
      if (it != known.end() && failed(takeLine(*it->second, wanted, of_user))) return failure();
    }
    return takeHomes(module);
  }

  LogicalResult takeLine(const Group& group, const Plan::Op& wanted, bool of_user) {
    ir::PlacedOpInterface op = group.ops.front();
    auto named = [&](ir::PlacedOpInterface o) { return o->getName().stripDialect() == wanted.op; };
    // A session's own plan: an op that joins rows has its id from what is compiled beside it.
    if (!of_user && llvm::none_of(group.ops, named)) return success();
    if (llvm::none_of(group.ops, named))
      return op->emitOpError() << "has the id " << group.key.id << "; " << lineOf(wanted.line) << " calls it '"
                               << wanted.op << "'";
    if (group.updates) {
      if (!of_user) return success();
      return op->emitOpError() << "is an update, which runs where its variable lives: " << lineOf(wanted.line)
                               << " cannot move it, the line of the variable can";
    }
    const int device = index_of(wanted.device);
    if (device < 0)
      return op->emitOpError() << "is to run on \"" << wanted.device << "\" (" << lineOf(wanted.line)
                               << "), which is not among the devices " << device_options.devices;
    if (auto pinned = chosen.find(group.key); pinned != chosen.end()) {
      if (pinned->second.first == static_cast<size_t>(device)) return success();
      return op->emitOpError() << "is pinned to " << devices[pinned->second.first]->name() << ", and "
                               << lineOf(wanted.line) << " places it on " << wanted.device;
    }
    return choose(group, static_cast<size_t>(device), "plan");
  }

  LogicalResult takeHomes(ModuleOp module) {
    for (const Plan::Home& home : plan->homes) {
      auto variable = module.lookupSymbol<ir::VariableOp>(home.variable);
      if (!variable && plan->program.empty()) continue;  // the state of an optimizer, in a function that trains nothing
      if (!variable)
        return module.emitError() << lineOf(home.line) << " names the variable '" << home.variable
                                  << "', which the program does not have";
      if (home.devices.size() != static_cast<size_t>(replicas))
        return variable.emitOpError() << "has " << replicas << (replicas == 1 ? " copy" : " copies") << "; "
                                      << lineOf(home.line) << " names " << home.devices.size() << " devices for it";
      for (size_t r = 0; r < home.devices.size(); ++r) {
        const int device = index_of(home.devices[r]);
        const size_t first = firstOf(static_cast<int64_t>(r));
        if (device < 0)
          return variable.emitOpError() << "is to live on \"" << home.devices[r] << "\" (" << lineOf(home.line)
                                        << "), which is not among the devices " << device_options.devices;
        if (static_cast<size_t>(device) < first || static_cast<size_t>(device) >= first + each())
          return variable.emitOpError() << "is to live on " << home.devices[r] << " (" << lineOf(home.line)
                                        << "), which is none of the devices of " << inReplica(static_cast<int64_t>(r));
      }
      planned_homes[home.variable] = &home;
    }
    return success();
  }

  bool open(const Group& group) const { return !group.updates && !chosen.contains(group.key); }

  LogicalResult allOnOne(int64_t replica) {
    for (const Group& group : groups)
      if (group.key.replica == replica && open(group) &&
          failed(choose(group, firstOf(replica), replicas == 1 ? "the only device" : inReplica(replica))))
        return failure();
    return success();
  }

  LogicalResult splitChain(ModuleOp module, int64_t replica) {
    std::vector<const Group*> chain;
    std::map<GroupKey, size_t> position;
    for (const Group& group : groups)
      if (group.key.replica == replica && open(group)) position[group.key] = chain.size(), chain.push_back(&group);
    if (chain.empty()) return success();
    const size_t first = firstOf(replica);
    const auto bytes = crossing_bytes(module, position, chain.size());
    ChainProblem problem;
    for (size_t i = 0; i < chain.size(); ++i) {
      const auto begin = chain[i]->seconds.begin() + static_cast<int64_t>(first);
      problem.seconds.emplace_back(begin, begin + static_cast<int64_t>(each()));
      std::vector<double> transfer;
      for (size_t d = first; d + 1 < first + each(); ++d)
        transfer.push_back(i + 1 < chain.size()
                               ? devices[d]->transfer_seconds(bytes[i]) + devices[d + 1]->transfer_seconds(bytes[i])
                               : 0);
      problem.transfer.push_back(transfer);
    }
    auto split = split_chain(problem);
    if (!split) {
      for (const Group* group : chain)
        if (std::all_of(group->seconds.begin() + static_cast<int64_t>(first),
                        group->seconds.begin() + static_cast<int64_t>(first + each()),
                        [](double s) { return std::isinf(s); })) {
          auto e = group->ops.front()->emitOpError() << "runs on none of the devices";
          for (const std::string& r : group->refusals) e << "; " << r;
          return failure();
        }
      return refuse(chain.front()->ops.front()->getLoc(), split.error());
    }
    double total = 0;
    for (double load : split->load) total += load;
    for (size_t i = 0; i < chain.size(); ++i) {
      const auto d = static_cast<size_t>(split->device[i]);
      std::string reason = llvm::formatv("split {0} of {1}: {2:P0} of the estimated time", d + 1, each(),
                                         total > 0 ? split->load[d] / total : 0);
      if (replicas > 1) reason = inReplica(replica) + ", " + reason;
      if (failed(choose(*chain[i], first + d, reason))) return failure();
    }
    return success();
  }

  void apply() {
    for (Group& group : groups)
      if (auto it = chosen.find(group.key); it != chosen.end())
        for (ir::PlacedOpInterface op : group.ops) set(op, it->second.first, it->second.second);
  }
  void set(ir::PlacedOpInterface op, size_t device, const std::string& reason) {
    op.placement().device = StringAttr::get(&getContext(), devices[device]->name());
    op.placement().reason = StringAttr::get(&getContext(), reason);
  }

  // The home of a variable, in each replica: what the plan says, else the device of the first op that reads it
  // and is no update, else (a replica without a sample) the first device of the replica. An optimizer's state
  // lives with its variable, and the update runs there.
  LogicalResult homes(ModuleOp module) {
    std::map<std::string, SmallVector<StringAttr>> homes;
    for (auto v : module.getOps<ir::VariableOp>()) {
      auto& list = homes[v.getSymName().str()];
      list.resize(static_cast<size_t>(replicas));
      if (auto planned = planned_homes.find(v.getSymName().str()); planned != planned_homes.end())
        for (size_t r = 0; r < list.size(); ++r) list[r] = StringAttr::get(&getContext(), planned->second->devices[r]);
    }
    auto home = [&](ir::ReadOp read) -> StringAttr& {
      return homes[read.getVariable().str()][static_cast<size_t>(read.getShare())];
    };
    for (auto function : module.getOps<func::FuncOp>())
      for (auto op : function.getOps<ir::PlacedOpInterface>())
        if (op.placement().device)
          for (Value v : op->getOperands())
            if (auto read = v.getDefiningOp<ir::ReadOp>(); read && !home(read)) home(read) = op.placement().device;
    for (auto& [name, list] : homes)
      for (size_t r = 0; r < list.size(); ++r)
        if (!list[r]) list[r] = StringAttr::get(&getContext(), devices[firstOf(static_cast<int64_t>(r))]->name());
    for (Group& group : groups) {
      if (!group.updates) continue;
      // What else is of the group, a sum of the variable's gradients, runs where the update does.
      for (ir::PlacedOpInterface op : group.ops) {
        if (cast<ir::CutsetOpInterface>(*op).opInfo().updates == 0) continue;
        auto first = op->getOperand(0).getDefiningOp<ir::ReadOp>();
        if (!first) return op->emitOpError("updates something that is not a variable");
        const StringAttr at = home(first);
        if (failed(choose(group, static_cast<size_t>(index_of(at)), "home of @" + first.getVariable().str())))
          return failure();
        set(op, chosen[group.key].first, chosen[group.key].second);
        const auto updated = static_cast<size_t>(cast<ir::CutsetOpInterface>(*op).opInfo().updates);
        for (Value v : op->getOperands().take_front(updated).drop_front()) {  // the states
          auto state = v.getDefiningOp<ir::ReadOp>();
          if (!state) continue;
          auto planned = planned_homes.find(state.getVariable().str());
          if (planned != planned_homes.end() && home(state) != at)
            return op->emitOpError() << "keeps its state @" << state.getVariable() << " with @" << first.getVariable()
                                     << " on " << at << "; " << lineOf(planned->second->line) << " says "
                                     << home(state);
          home(state) = at;
        }
      }
      const auto& [device, reason] = chosen[group.key];
      for (ir::PlacedOpInterface op : group.ops)
        if (cast<ir::CutsetOpInterface>(*op).opInfo().updates == 0) set(op, device, reason);
    }
    module.walk([&](ir::VariableOp v) {
      const auto& list = homes[v.getSymName().str()];
      v.setHomesAttr(ArrayAttr::get(&getContext(), SmallVector<Attribute>(list.begin(), list.end())));
    });
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> createPlace(const PlaceOptions& options) {
  auto pass = std::make_unique<Place>();
  pass->device_options = options.devices;
  pass->strategy = options.strategy;
  pass->plan = options.plan;
  return pass;
}

}  // namespace cutset::passes
