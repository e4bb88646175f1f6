#include "passes/cut/partition.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

StringRef name_of(RoleKind kind) {
  constexpr StringLiteral names[] = {"forward", "backward", "update"};
  return names[static_cast<int>(kind)];
}

bool is_free(Operation* op) { return isa_and_nonnull<ir::ConstantOp, ir::TypeOnlyOp>(op); }

namespace {

StringAttr device_of(Operation* op) {
  if (auto placed = dyn_cast<ir::PlacedOpInterface>(op)) return placed.placement().device;
  auto home = [&](FlatSymbolRefAttr name, int64_t share) {
    return SymbolTable::lookupNearestSymbolFrom<ir::VariableOp>(op, name).homeOf(share);
  };
  if (auto read = dyn_cast<ir::ReadOp>(op)) return home(read.getVariableAttr(), static_cast<int64_t>(read.getShare()));
  if (auto assign = dyn_cast<ir::AssignOp>(op))
    return home(assign.getVariableAttr(), static_cast<int64_t>(assign.getShare()));
  return {};
}

// Everything the results depend on.
DenseSet<Operation*> needed_by(Operation* terminator) {
  DenseSet<Operation*> needed;
  SmallVector<Operation*> work{terminator};
  while (!work.empty())
    for (Value v : work.pop_back_val()->getOperands())
      if (Operation* definer = v.getDefiningOp(); definer && needed.insert(definer).second) work.push_back(definer);
  return needed;
}

bool updates(Operation* op) {
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  return isa<ir::AssignOp>(op) || (rules && rules.opInfo().updates > 0);
}

// A device that has `v`, which no op of the function computes.
StringAttr holder(func::FuncOp function, Value v, const Partition& p) {
  for (Operation* user : v.getUsers())
    if (auto at = p.device.lookup(user)) return at;
  if (!p.roles.empty()) return p.roles.begin()->first;
  auto devices = function->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(kDevices);
  return devices && !devices.empty() ? cast<StringAttr>(devices[0]) : StringAttr();
}

// Results that are inputs or constants.
LogicalResult pass_on(func::FuncOp function, Partition& p) {
  for (Value v : function.getBody().front().getTerminator()->getOperands()) {
    Operation* definer = v.getDefiningOp();
    if ((definer && !is_free(definer)) || p.passed.contains(v)) continue;
    const StringAttr device = holder(function, v, p);
    if (!device) {
      emitError(v.getLoc()) << "is a result, and no device is there to hand it over: run --place first";
      return failure();
    }
    p.passed[v] = device;
    auto& roles = p.roles[device];  // a device with nothing else to do has a schedule too
    if (definer) roles[RoleKey{}].push_back(definer);
  }
  return success();
}

}  // namespace

FailureOr<Partition> partition(func::FuncOp function) {
  Partition p;
  Block& body = function.getBody().front();
  const auto forward = needed_by(body.getTerminator());
  DenseSet<Operation*> update;
  for (Operation& op : body.without_terminator()) {
    if (is_free(&op)) continue;
    if (isa<ir::AllReduceOp>(op)) {  // on no device alone: what reads it comes a level after all parts
      RoleKey after;
      for (Value v : op.getOperands())
        if (Operation* definer = v.getDefiningOp(); !definer || is_free(definer)) {
          return op.emitOpError("sums something that no device computes");
        } else {
          if (update.contains(definer))
            return op.emitOpError("would sum, over devices, what an update computes after the commit");
          after.level = std::max(after.level, p.role.lookup(definer).level);
        }
      ++after.level;
      p.role[&op] = after;
      continue;
    }
    StringAttr device = device_of(&op);
    if (!device) return op.emitOpError("has no device: it must be placed first");
    bool later = updates(&op);
    RoleKey key;
    for (Value v : op.getOperands()) {
      Operation* definer = v.getDefiningOp();
      if (!definer || is_free(definer)) continue;
      later |= update.contains(definer);
      const bool crosses = !isa<ir::AllReduceOp>(definer) && p.device.lookup(definer) != device;
      if (crosses && update.contains(definer))
        return op.emitOpError("needs, on another device, what an update computes after the commit");
      key.level = std::max(key.level, p.role.lookup(definer).level + (crosses ? 1 : 0));
    }
    if (later) {
      if (forward.contains(&op))
        return op.emitOpError("computes a result of the step from what an update computes after the commit");
      update.insert(&op);
      key = {true, 0, RoleKind::kUpdate};
    } else {
      key.kind = forward.contains(&op) ? RoleKind::kForward : RoleKind::kBackward;
    }
    p.device[&op] = device;
    p.role[&op] = key;
    // A read is cloned into every role that wants it at home; it is an op of its own where it crosses.
    if (isa<ir::ReadOp>(op)) continue;
    p.roles[device][key].push_back(&op);
  }
  for (auto read : body.getOps<ir::ReadOp>()) {
    const StringAttr home = p.device.lookup(read);
    for (Operation* user : read->getUsers())
      if (auto at = p.device.lookup(user); user == body.getTerminator() || (at && at != home)) {
        auto& role = p.roles[home][RoleKey{}];
        role.insert(role.begin(), read);
        p.role[read] = RoleKey{};
        break;
      }
  }
  if (failed(pass_on(function, p))) return failure();
  return p;
}

}  // namespace cutset::passes
