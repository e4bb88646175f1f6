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
#include "graph/strategy.h"
#include "llvm/Support/FormatVariadic.h"
#include "mlir/Parser/Parser.h"
#include "passes/passes.h"
#include "passes/place/groups.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// MLIR's parser recurses, so a plan that nests without end would run out of stack.
// Strings and comments hide no closing bracket, and an arrow is none.
bool nests_too_deep(StringRef text) {
  constexpr int kLimit = 256;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) i += text[i] == '\\';
    } else if (c == '/' && text.substr(i).starts_with("//")) {
      i = text.find('\n', i);
      if (i == StringRef::npos) break;
    } else if (StringRef("([{<").contains(c)) {
      if (++depth > kLimit) return true;
    } else if (StringRef(")]}").contains(c) || (c == '>' && (i == 0 || text[i - 1] != '-'))) {
      depth = std::max(0, depth - 1);
    }
  }
  return false;
}

struct Place : ModulePass<Place> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Place)
  static constexpr const char* kFlag = "place";
  static constexpr const char* kSummary = "Give every op a device and a reason";
  Place() = default;
  Place(const Place& o) : ModulePass(o), device_options(o.device_options), plan(o.plan) {}
  Option<std::string> names{*this, "devices", llvm::cl::desc("cpu:0,opencl:0")};
  Option<std::string> strategy{*this, "strategy", llvm::cl::desc("data(2) * model")};
  DeviceOptions device_options;
  std::string plan;

  DeviceList devices;
  std::vector<Group> groups;
  std::map<GroupKey, std::pair<size_t, std::string>> chosen;  // device, reason
  std::map<std::string, SmallVector<std::string>> planned_homes;
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
    auto described = describe_devices(device_options);
    if (!described) return refuse(module.getLoc(), described.error());
    devices = *described;
    groups = collect_groups(module, devices);
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
    if (failed(takePins()) || failed(takePlan(module))) return failure();
    for (int64_t r = 0; r < replicas; ++r)
      if (failed(parsed->model ? splitChain(module, r) : allOnOne(r))) return failure();
    apply();
    return homes(module);
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
        const int device = index_of(op.placement().device.getValue());
        if (device < 0)
          return op->emitOpError() << "is placed on " << op.placement().device << ", which is not among the devices "
                                   << device_options.devices;
        if (failed(choose(group, static_cast<size_t>(device), "user"))) return failure();
      }
    return success();
  }

  LogicalResult takePlan(ModuleOp module) {
    if (plan.empty()) return success();
    if (nests_too_deep(plan)) return module.emitError("the plan nests too deep to be one");
    ParserConfig config(module.getContext());
    auto placed = parseSourceString<ModuleOp>(plan, config, "plan");
    if (!placed) return module.emitError("the plan cannot be read");
    std::map<GroupKey, std::pair<StringAttr, OperationName>> wanted;
    placed->walk([&](ir::PlacedOpInterface op) {
      if (op.placement().device) wanted.try_emplace(key_of(op), op.placement().device, op->getName());
    });
    placed->walk([&](ir::VariableOp v) {
      for (int64_t r = 0; v.homeOf(r); ++r) planned_homes[v.getSymName().str()].push_back(v.homeOf(r).str());
    });
    for (const Group& group : groups) {
      auto it = wanted.find(group.key);
      if (it == wanted.end() || chosen.contains(group.key) || group.updates) continue;
      if (it->second.second != group.ops.front()->getName())
        return group.ops.front()->emitOpError() << "with id " << group.key.id << " is a '" << it->second.second
                                                << "' in the plan: it was made for another program";
      const int device = index_of(it->second.first.getValue());
      if (device < 0)
        return group.ops.front()->emitOpError() << "is planned for " << it->second.first
                                                << ", which is not among the devices " << device_options.devices;
      if (failed(choose(group, static_cast<size_t>(device), "plan"))) return failure();
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

  // The home of a variable, in each replica, is the device of the first op that reads it, other than an
  // update; where none does (a replica without a sample), what the plan says. States live with their
  // variable, and an update runs there.
  LogicalResult homes(ModuleOp module) {
    std::map<std::string, SmallVector<StringAttr>> homes;
    module.walk([&](ir::VariableOp v) {
      auto& list = homes[v.getSymName().str()];
      list.resize(static_cast<size_t>(replicas));
    });
    auto home = [&](ir::ReadOp read) -> StringAttr& {
      return homes[read.getVariable().str()][static_cast<size_t>(read.getShare())];
    };
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](ir::ReadOp read) {
        if (home(read)) return;
        for (Operation* user : read->getUsers())
          if (auto placed = dyn_cast<ir::PlacedOpInterface>(user); placed && placed.placement().device) {
            home(read) = placed.placement().device;
            return;
          }
      });
    for (auto& [name, list] : homes) {
      const auto& planned = planned_homes[name];
      for (size_t r = 0; r < list.size(); ++r) {
        const bool known = r < planned.size() && index_of(planned[r]) >= 0;
        if (!list[r])
          list[r] =
              StringAttr::get(&getContext(), known ? planned[r] : devices[firstOf(static_cast<int64_t>(r))]->name());
      }
    }
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
        for (Value v : op->getOperands().take_front(updated))  // the variable and its states
          if (auto state = v.getDefiningOp<ir::ReadOp>()) home(state) = at;
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
