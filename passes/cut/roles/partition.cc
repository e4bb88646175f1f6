// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/roles/partition.h"

#include "passes/cut/roles/backward_parts.h"
#include "passes/passes.h"
#include "passes/support/layout/forward_ops.h"
#include "passes/support/placement/rounds.h"

using namespace mlir;

namespace cutset::passes {

StringRef name_of(RoleKind kind) {
  constexpr StringLiteral names[] = {"forward",     "backward",       "update",
                                     "micro_batch", "backward_input", "backward_weight"};
  return names[static_cast<int>(kind)];
}

bool is_unplaced(Operation* op) { return isa_and_nonnull<ir::ConstantOp, ir::TypeOnlyOp>(op); }

namespace {

StringAttr device_of(Operation* op, const SymbolTable& symbols) {
  if (auto placed = dyn_cast<ir::PlacedOpInterface>(op)) return placed.placement().device;
  auto home = [&](FlatSymbolRefAttr name, int64_t replica) {
    return symbols.lookup<ir::VariableOp>(name.getAttr()).home_of(replica);
  };
  if (auto read = dyn_cast<ir::ReadOp>(op))
    return home(read.getVariableAttr(), static_cast<int64_t>(read.getReplica()));
  if (auto assign = dyn_cast<ir::AssignOp>(op))
    return home(assign.getVariableAttr(), static_cast<int64_t>(assign.getReplica()));
  return {};
}

// Whether the op changes a variable.
bool updates(Operation* op) {
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  return isa<ir::AssignOp>(op) || (rules && rules.op_info().updates > 0);
}

// Returns the device that returns `v`, an input or a constant, to the host: a device that reads it, or else
// the first device.
StringAttr output_device(func::FuncOp function, Value v, const Partition& p) {
  for (Operation* user : v.getUsers())
    if (auto at = p.device.lookup(user)) return at;
  if (!p.roles.empty()) return p.roles.begin()->first;
  auto devices = function->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(kDevices);
  return devices && !devices.empty() ? cast<StringAttr>(devices[0]) : StringAttr();
}

// Assigns a device to each result that is an input or a constant.
LogicalResult assign_passed_values(func::FuncOp function, Partition& p) {
  for (Value v : function.getBody().front().getTerminator()->getOperands()) {
    Operation* definer = v.getDefiningOp();
    if ((definer && !is_unplaced(definer)) || p.passed.contains(v)) continue;
    const StringAttr device = output_device(function, v, p);
    if (!device) {
      emitError(v.getLoc())
          << "the function returns an input or a constant, and the module names no device that could "
             "return it (run --place first)";
      return failure();
    }
    p.passed[v] = device;
    auto& roles = p.roles[device];  // so that a device without ops also has a schedule
    if (definer) roles[RoleKey{}].push_back(definer);
  }
  return success();
}

// Determines the kinds of the roles of micro-batches.
class MicroBatchKinds {
 public:
  MicroBatchKinds(func::FuncOp function, bool divided, const DenseSet<Operation*>& forward,
                  const DenseMap<Operation*, int>& rounds)
      : forward_(forward), staged_(function->hasAttr(kSchedule)), divided_(divided) {
    if (divided_) input_part_ = ops_that_leave_their_stage(function, rounds);
  }
  RoleKind of(Operation* op) const {
    if (!staged_) return RoleKind::kMicroBatch;
    if (forward_.contains(op)) return RoleKind::kForward;
    if (!divided_) return RoleKind::kBackward;
    return input_part_.contains(op) ? RoleKind::kBackwardInput : RoleKind::kBackwardWeight;
  }

 private:
  const DenseSet<Operation*>& forward_;
  const bool staged_, divided_;
  DenseSet<Operation*> input_part_;
};

// Assigns the ops of a function to roles, in their order.
class Partitioner {
 public:
  Partitioner(func::FuncOp function, const SymbolTable& symbols, bool divided)
      : symbols_(symbols),
        forward_(forward_ops(function)),
        needed_(needed_by_results(function)),
        rounds_(rounds_of(function)),
        kinds_(function, divided, forward_, rounds_) {
    for (Operation& op : function.getBody().front())
      if (op.hasAttr(kBeginsRole))
        if (Operation* reader = first_reader(&op)) {
          gathers_[reader].push_back(&op);
          waits_.insert(&op);
        }
  }

  LogicalResult assign(Operation* op) {
    if (is_unplaced(op) || waits_.contains(op)) return success();
    if (auto reduced = dyn_cast<ir::AllReduceOp>(op)) return assign_all_reduce(reduced);
    if (auto sum = dyn_cast<ir::SumMicroBatchesOp>(op)) return assign_sum(sum);
    const auto gathers = gathers_.find(op);
    if (gathers == gathers_.end()) return assign_to_role(op, 0);
    // The role of the reader of a gather begins with the gather. The role therefore lies one level above the
    // roles that compute the other operands of the reader.
    int level = 0;
    for (Value v : op->getOperands())
      if (Operation* definer = v.getDefiningOp(); definer && !waits_.contains(definer))
        level = std::max(level, p.role.lookup(definer).level);
    for (Operation* gather : gathers->second)
      if (failed(assign_to_role(gather, level + 1))) return failure();
    return assign_to_role(op, 0);
  }

  Partition p;

 private:
  // Returns the first op that reads a gathered variable, or null if only the results of the function do.
  static Operation* first_reader(Operation* gather) {
    Operation* first = nullptr;
    for (Operation* user : gather->getUsers())
      if (isa<ir::PlacedOpInterface>(user) && (!first || user->isBeforeInBlock(first))) first = user;
    return first;
  }

  // Assigns no device, because a sum has several. Its readers are one level above all partial sums.
  LogicalResult assign_all_reduce(ir::AllReduceOp op) {
    RoleKey after{.round = rounds_.lookup(op)};
    for (Value v : op.getOperands()) {
      Operation* definer = v.getDefiningOp();
      if (!definer || is_unplaced(definer))
        return op.emitOpError("sums an input or a constant, which no device computes");
      if (update_.contains(definer))
        return op.emitOpError(
            "is a sum over devices of a value that an update computes; no value is transferred after the "
            "commit of the step");
      after.level = std::max(after.level, p.role.lookup(definer).level);
    }
    ++after.level;
    p.role[op] = after;
    return success();
  }

  // Assigns no role: the schedule adds the partial sums along with the calls.
  LogicalResult assign_sum(ir::SumMicroBatchesOp op) {
    for (Value v : op.getPartials())
      if (Operation* definer = v.getDefiningOp(); !definer || !definer->hasAttr(kShardClass))
        return op.emitOpError("sums a value that no micro-batch computes");
    Operation* first = op.getPartials()[0].getDefiningOp();
    for (Value v : op.getPartials())
      if (const RoleKey key = p.role.lookup(v.getDefiningOp()), first_key = p.role.lookup(first);
          p.device.lookup(v.getDefiningOp()) != p.device.lookup(first) || key.round != first_key.round ||
          key.stage != first_key.stage)
        return op.emitOpError(
            "sums values that are computed on several devices, in several stages, or at different times");
    p.device[op] = p.device.lookup(first);
    p.role[op] = {.round = rounds_.lookup(op),
                  .level = -1};  // the op is in no role, so every reader takes its result as an argument
    return success();
  }

  // Assigns the op to a role at level `level` or higher.
  LogicalResult assign_to_role(Operation* op, int level) {
    StringAttr device = device_of(op, symbols_);
    if (!device) return op->emitOpError("has no device: it must be placed first");
    bool later = updates(op);
    RoleKey key{.level = level};
    for (Value v : op->getOperands()) {
      Operation* definer = v.getDefiningOp();
      if (!definer || is_unplaced(definer)) continue;
      later |= update_.contains(definer);
      const bool crosses = !isa<ir::AllReduceOp>(definer) && p.device.lookup(definer) != device;
      if (crosses && update_.contains(definer))
        return op->emitOpError(
            "reads a value that an update on another device computes; no value is transferred after the "
            "commit of the step");
      key.level = std::max(key.level, p.role.lookup(definer).level + (crosses ? 1 : 0));
    }
    auto shard_class = op->getAttrOfType<IntegerAttr>(kShardClass);
    if (later) {
      if (needed_.contains(op))
        return op->emitOpError(
            "computes a result of the step from an update; a result must not depend on updates, which run "
            "after the commit");
      update_.insert(op);
      key = {.apply = true, .kind = RoleKind::kUpdate};
    } else if (shard_class) {
      key = {.round = rounds_.lookup(op),
             .shard_class = shard_class.getInt(),
             .stage = stage_of(op),
             .level = key.level,
             .kind = kinds_.of(op)};
    } else {
      key.round = rounds_.lookup(op);
      key.kind = forward_.contains(op) ? RoleKind::kForward : RoleKind::kBackward;
    }
    p.device[op] = device;
    p.role[op] = key;
    // Roles at the home of the variable clone the read. A read that other devices need is added to a role
    // later.
    if (!isa<ir::ReadOp>(op)) p.roles[device][key].push_back(op);
    return success();
  }

  const SymbolTable& symbols_;
  const DenseSet<Operation*> forward_, needed_;
  const DenseMap<Operation*, int> rounds_;
  const MicroBatchKinds kinds_;
  DenseSet<Operation*> update_;
  DenseMap<Operation*, SmallVector<Operation*>> gathers_;  // op -> the gathers that it is the first to read
  DenseSet<Operation*> waits_;                             // these gathers
};

// Adds the reads of variables that other devices need to a role at the home of each variable.
void add_crossing_reads(func::FuncOp function, Partition& p) {
  Block& body = function.getBody().front();
  llvm::MapVector<StringAttr, SmallVector<Operation*>> crossing;
  for (auto read : body.getOps<ir::ReadOp>()) {
    const StringAttr home = p.device.lookup(read);
    const auto crosses = [&](Operation* user) {
      const auto at = p.device.lookup(user);
      return user == body.getTerminator() || (at && at != home);
    };
    if (llvm::any_of(read->getUsers(), crosses)) {
      crossing[home].push_back(read);
      p.role[read] = RoleKey{};
    }
  }
  for (auto& [home, reads] : crossing) {
    auto& role = p.roles[home][RoleKey{}];
    role.insert(role.begin(), reads.begin(), reads.end());
  }
}

}  // namespace

FailureOr<Partition> partition(func::FuncOp function, const SymbolTable& symbols, bool divided) {
  Partitioner partitioner(function, symbols, divided);
  for (Operation& op : function.getBody().front().without_terminator())
    if (failed(partitioner.assign(&op))) return failure();
  Partition& p = partitioner.p;
  add_crossing_reads(function, p);
  if (failed(assign_passed_values(function, p))) return failure();
  return std::move(p);
}

}  // namespace cutset::passes
