// place: every op gets a device and the reason for it, every variable a home.
//
//   %0 = cutset.conv2d %x, %w id 1            %0 = cutset.conv2d ... on "cpu:0" because "user" id 1
//   %1 = cutset.relu %0 id 2             ->   %1 = cutset.relu ... on "opencl:0" because "split 2 of 2: ..." id 2
//   cutset.variable @w : tensor<4xf32>        cutset.variable @w : tensor<4xf32> home "cpu:0"
//
// In order: what the user said, what a plan says, the strategy. A variable lives where the first op that
// reads it runs, and its update runs there.
#include <cmath>

#include "graph/contiguous_split.h"
#include "llvm/Support/FormatVariadic.h"
#include "mlir/Parser/Parser.h"
#include "passes/passes.h"
#include "passes/place/groups.h"
#include "passes/place/strategy.h"

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
  Option<std::string> strategy{*this, "strategy", llvm::cl::desc("one_device or model")};
  DeviceOptions device_options;
  std::string plan;

  DeviceList devices;
  std::vector<Group> groups;
  std::map<int64_t, std::pair<size_t, std::string>> chosen;  // id -> device, reason

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
    chosen.clear();
    auto parsed = parse_strategy(strategy, devices.size());
    if (!parsed) return refuse(module.getLoc(), parsed.error());
    if (failed(takePins()) || failed(takePlan(module))) return failure();
    if (failed(*parsed == Strategy::kOneDevice ? allOnOne() : splitChain(module))) return failure();
    apply();
    return homes(module);
  }

  LogicalResult choose(const Group& group, size_t device, std::string reason) {
    if (std::isinf(group.seconds[device]))
      return group.ops.front()->emitOpError()
             << "cannot run on " << devices[device]->name() << " (" << reason << "): " << group.refusals[device];
    chosen[group.id] = {device, std::move(reason)};
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
    std::map<int64_t, std::pair<StringAttr, OperationName>> wanted;
    placed->walk([&](ir::PlacedOpInterface op) {
      if (op.placement().device) wanted.try_emplace(op.placement().id, op.placement().device, op->getName());
    });
    for (const Group& group : groups) {
      auto it = wanted.find(group.id);
      if (it == wanted.end() || chosen.contains(group.id) || group.updates) continue;
      if (it->second.second != group.ops.front()->getName())
        return group.ops.front()->emitOpError() << "with id " << group.id << " is a '" << it->second.second
                                                << "' in the plan: it was made for another program";
      const int device = index_of(it->second.first.getValue());
      if (device < 0)
        return group.ops.front()->emitOpError() << "is planned for " << it->second.first
                                                << ", which is not among the devices " << device_options.devices;
      if (failed(choose(group, static_cast<size_t>(device), "plan"))) return failure();
    }
    return success();
  }

  bool open(const Group& group) const { return !group.updates && !chosen.contains(group.id); }

  LogicalResult allOnOne() {
    for (const Group& group : groups)
      if (open(group) && failed(choose(group, 0, "the only device"))) return failure();
    return success();
  }

  LogicalResult splitChain(ModuleOp module) {
    std::vector<const Group*> chain;
    std::map<int64_t, size_t> position;
    for (const Group& group : groups)
      if (open(group)) position[group.id] = chain.size(), chain.push_back(&group);
    if (chain.empty()) return success();
    const auto bytes = crossing_bytes(module, position, chain.size());
    ChainProblem problem;
    for (size_t i = 0; i < chain.size(); ++i) {
      problem.seconds.push_back(chain[i]->seconds);
      std::vector<double> transfer;
      for (size_t d = 0; d + 1 < devices.size(); ++d)
        transfer.push_back(i + 1 < chain.size()
                               ? devices[d]->transfer_seconds(bytes[i]) + devices[d + 1]->transfer_seconds(bytes[i])
                               : 0);
      problem.transfer.push_back(transfer);
    }
    auto split = split_chain(problem);
    if (!split) {
      for (const Group* group : chain)
        if (llvm::all_of(group->seconds, [](double s) { return std::isinf(s); })) {
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
      std::string reason = llvm::formatv("split {0} of {1}: {2:P0} of the estimated time", d + 1, devices.size(),
                                         total > 0 ? split->load[d] / total : 0);
      if (failed(choose(*chain[i], d, reason))) return failure();
    }
    return success();
  }

  void apply() {
    for (Group& group : groups)
      if (auto it = chosen.find(group.id); it != chosen.end())
        for (ir::PlacedOpInterface op : group.ops) set(op, it->second.first, it->second.second);
  }
  void set(ir::PlacedOpInterface op, size_t device, const std::string& reason) {
    op.placement().device = StringAttr::get(&getContext(), devices[device]->name());
    op.placement().reason = StringAttr::get(&getContext(), reason);
  }

  // The home of a variable is the device of the first op that reads it, other than an update; states
  // live with their variable, and an update runs there.
  LogicalResult homes(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>())
      function.walk([&](ir::ReadOp read) {
        auto variable = module.lookupSymbol<ir::VariableOp>(read.getVariableAttr());
        if (variable.getHomeAttr()) return;
        for (Operation* user : read->getUsers())
          if (auto placed = dyn_cast<ir::PlacedOpInterface>(user); placed && placed.placement().device) {
            variable.setHomeAttr(placed.placement().device);
            return;
          }
      });
    for (Group& group : groups) {
      if (!group.updates) continue;
      for (ir::PlacedOpInterface op : group.ops) {
        auto first = op->getOperand(0).getDefiningOp<ir::ReadOp>();
        if (!first) return op->emitOpError("updates something that is not a variable");
        auto variable = module.lookupSymbol<ir::VariableOp>(first.getVariableAttr());
        if (!variable.getHomeAttr()) variable.setHome(devices[0]->name());
        if (failed(choose(group, static_cast<size_t>(index_of(*variable.getHome())),
                          "home of @" + variable.getSymName().str())))
          return failure();
        set(op, chosen[group.id].first, chosen[group.id].second);
        for (Value v : op->getOperands().drop_front())
          if (auto state = v.getDefiningOp<ir::ReadOp>())
            module.lookupSymbol<ir::VariableOp>(state.getVariableAttr()).setHomeAttr(variable.getHomeAttr());
      }
    }
    module.walk([&](ir::VariableOp v) {
      if (!v.getHomeAttr()) v.setHome(devices[0]->name());
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
