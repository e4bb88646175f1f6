// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/function_cutter.h"

#include <set>

#include "mlir/IR/IRMapping.h"
#include "passes/cut/new_role.h"
#include "passes/cut/roles/frames.h"
#include "passes/cut/schedule/cut_edges.h"
#include "passes/cut/schedule/device_actions.h"
#include "passes/cut/schedule/finite_check.h"
#include "passes/cut/schedule/micro_batch_order.h"
#include "passes/cut/schedule/micro_batch_sums.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

class FunctionCutter {
 public:
  // `divided`: whether the schedules divide the backward pass.
  FunctionCutter(ModuleOp module, func::FuncOp function, Partition partition, PipelineSchedules& schedules,
                 bool divided, llvm::StringSet<>& symbols, int64_t check_id)
      : module_(module),
        function_(function),
        partition_(std::move(partition)),
        builder_(module.getContext()),
        symbols_(symbols),
        check_id_(check_id),
        micro_batches_(micro_batches_of(function)),
        edges_(function, partition_, micro_batches_),
        frames_(function, partition_),
        schedules_(schedules),
        divided_(divided) {
    for (auto sum : function.getBody().front().getOps<ir::SumMicroBatchesOp>())
      sums_[{partition_.device.lookup(sum),
             partition_.role.lookup(sum.getPartials()[0].getDefiningOp()).round}]
          .push_back(sum);
  }

  LogicalResult run() {
    bool applies = false;
    for (auto& [device, roles] : partition_.roles)
      applies |= llvm::any_of(roles, [](auto& r) { return r.first.apply; });
    return success(llvm::all_of(partition_.roles, [&](auto& of_device) {
      return succeeded(emit_schedule(of_device.first, of_device.second, applies));
    }));
  }

 private:
  using Roles = std::map<RoleKey, SmallVector<Operation*>>;  // the roles of a device, with their ops

  // Returns `name`, with apostrophes appended until it is unique among the symbols of the module.
  std::string fresh(std::string name) {
    while (!symbols_.insert(name).second) name += "'";
    return name;
  }
  // Returns a free symbol that begins with the names of the function and the device.
  std::string fresh(StringAttr device, const Twine& name) {
    return fresh((function_.getName() + "/" + device.getValue() + name).str());
  }

  // A role, with the values of the function that its calls pass and return.
  struct EmittedRole {
    FlatSymbolRefAttr symbol;
    SmallVector<ValueGroup> arguments, results;
    SmallVector<bool> of_micro_batch;  // by argument: whether it belongs to a micro-batch
    SmallVector<Type> types;           // by result
  };
  EmittedRole emit_role(StringAttr device, RoleKey key, ArrayRef<Operation*> ops) {
    const SmallVector<ValueGroup> arguments = frames_.groups_of(edges_.arguments_of(device, key, ops)),
                                  results = frames_.groups_of(edges_.results_of(device, key, ops));
    const std::string stage = function_->hasAttr(kChunks) && key.round % 2 == 1 && !key.apply
                                  ? "stage" + std::to_string(key.stage) + "/"
                                  : "";
    const std::string name = fresh(device, "/" + stage + name_of(key.kind) +
                                               (key.apply            ? ""
                                                : key.round % 2 == 1 ? std::to_string(key.shard_class)
                                                                     : std::to_string(key.level)));
    auto role = new_role(builder_, module_, function_.getLoc(), name, name_of(key.kind), device,
                         types_of(arguments), types_of(results));
    if (const auto* first = llvm::find_if(
            micro_batches_, [&](const MicroBatch& m) { return m.shard_class == key.shard_class; });
        key.round % 2 == 1 && first != micro_batches_.end())
      role->setAttr(kFirstShard, builder_.getI64IntegerAttr(first->shard));
    IRMapping map;
    for (unsigned next = 0; const ValueGroup& group : arguments)
      for (Value v : group.values) map.map(v, role.getArgument(next++));
    for (Operation* op : ops) {
      for (Value v : op->getOperands())
        if (!map.contains(v)) map.map(v, builder_.clone(*v.getDefiningOp())->getResult(0));
      builder_.clone(*op, map);
    }
    SmallVector<Value> returned;
    EmittedRole emitted{FlatSymbolRefAttr::get(role), arguments, results, {}, {}};
    for (const ValueGroup& group : results) {
      emitted.types.push_back(group.type());
      for (Value v : group.values) returned.push_back(map.lookup(v));
    }
    func::ReturnOp::create(builder_, function_.getLoc(), returned);
    for (const ValueGroup& group : arguments)
      emitted.of_micro_batch.push_back(class_of(function_, group.key()) >= 0);
    return emitted;
  }

  LogicalResult emit_schedule(StringAttr device, const Roles& roles, bool applies) {
    builder_.setInsertionPointToEnd(module_.getBody());
    auto schedule = ir::ScheduleOp::create(builder_, function_.getLoc(), fresh(device, ""),
                                           function_.getName(), device.getValue());
    DeviceActions actions(function_, partition_, edges_, micro_batches_, device,
                          builder_.createBlock(&schedule.getActions()));
    bool committed = false;
    int round = 0;
    for (auto& [key, ops] : roles) {
      if (key.round % 2 == 1) {
        // All roles of the round are called together, in the order of the micro-batches.
        if (key.round > round && failed(emit_micro_batches(actions, roles, key.round))) return failure();
        round = key.round;
        continue;
      }
      if (key.apply && !std::exchange(committed, true) && failed(emit_commit(actions, roles)))
        return failure();
      const EmittedRole role = emit_role(device, key, ops);
      SmallVector<Value> arguments;
      for (const ValueGroup& group : role.arguments) arguments.push_back(actions.fetch(group.key()));
      auto call = ir::CallOp::create(actions.builder(), function_.getLoc(), role.types, role.symbol,
                                     arguments, IntegerAttr(), IntegerAttr());
      for (auto [group, value] : llvm::zip(role.results, call.getValues()))
        actions.define(group.key(), value);
    }
    if (!committed) actions.emit_outputs();
    if (applies && !committed) ir::CommitOp::create(actions.builder(), function_.getLoc(), ValueRange());
    return success();
  }

  // Emits the commit, and the actions that must come before it. The operands of updates are fetched before
  // the commit, because nothing after it may fail.
  LogicalResult emit_commit(DeviceActions& actions, const Roles& roles) {
    for (auto& [key, updates] : roles)
      if (key.apply)
        for (Value v : edges_.arguments_of(actions.device(), key, updates)) actions.fetch(v);
    actions.emit_outputs();
    const auto finite = emit_finite_check(actions, roles);
    if (failed(finite)) return failure();
    ir::CommitOp::create(actions.builder(), function_.getLoc(), *finite);
    return success();
  }

  using Stage = std::pair<int64_t, RoleKind>;  // the roles of one kind of a stage
  using RolesOfClasses = std::map<std::pair<Stage, int64_t>, SmallVector<EmittedRole>>;

  // Emits the calls of all micro-batches in round `round`, in the order of the schedule, and the additions of
  // their partial sums.
  LogicalResult emit_micro_batches(DeviceActions& actions, const Roles& roles, int round) {
    RolesOfClasses of_class;
    for (auto& [key, ops] : roles)
      if (key.round == round)
        of_class[{{key.stage, key.kind}, key.shard_class}].push_back(emit_role(actions.device(), key, ops));
    std::map<Stage, MicroBatchSums> sums = sums_of(actions.device(), round);
    const auto order = micro_batch_order(function_, schedules_, divided_, actions.device());
    if (failed(order) || failed(check_order(*order, of_class, actions.device()))) return failure();
    for (const auto& [kind, stage, shard] : *order) {
      const MicroBatch& m = micro_batches_[static_cast<size_t>(shard)];
      for (const EmittedRole& role : of_class[{{stage, kind}, m.shard_class}])
        if (failed(call_role(actions, role, m))) return failure();
      const auto of_stage = sums.find({stage, kind});
      if (of_stage != sums.end() &&
          failed(of_stage->second.add(actions.builder(), m, [&](Value v) { return actions.fetch(v, m); })))
        return failure();
    }
    for (auto& [stage, of_stage] : sums)
      for (auto& [sum, total] : of_stage.totals(actions.builder())) actions.define(sum.getSum(), total);
    return success();
  }

  // Returns the sums over micro-batches that a round ends with, by the roles that compute their last partial
  // sums.
  std::map<Stage, MicroBatchSums> sums_of(StringAttr device, int round) {
    std::map<Stage, MicroBatchSums> sums;
    for (auto sum : sums_.lookup({device, round})) {
      Stage last;
      for (Value v : sum.getPartials()) {
        const RoleKey key = partition_.role.lookup(v.getDefiningOp());
        last = {key.stage, std::max(last.second, key.kind)};
      }
      const auto new_name = [this, device](const char* name) { return fresh(device, Twine("/") + name); };
      sums.try_emplace(last, function_, frames_, new_name).first->second.include(sum);
    }
    return sums;
  }

  // Fails if a role of the device is not called, because another device has its micro-batches or its stage.
  LogicalResult check_order(ArrayRef<MicroBatchAction> order, const RolesOfClasses& of_class,
                            StringAttr device) {
    std::set<int64_t> computed, stages;
    for (const MicroBatchAction& action : order) {
      computed.insert(micro_batches_[static_cast<size_t>(action.shard)].shard_class);
      stages.insert(action.stage);
    }
    for (auto& [key, list] : of_class)
      if (!computed.contains(key.second))
        return function_.emitError() << "the micro-batches of class " << key.second << " have ops on "
                                     << device << ", which belongs to another replica";
      else if (!stages.contains(key.first.first))
        return function_.emitError() << "stage " << key.first.first << " has ops on " << device
                                     << ", which is the device of other stages";
    return success();
  }

  // Fails if the schedule calls a role that computes an argument on this device later.
  LogicalResult call_role(DeviceActions& actions, const EmittedRole& role, const MicroBatch& m) {
    SmallVector<Value> arguments;
    for (auto [group, of_micro_batch] : llvm::zip(role.arguments, role.of_micro_batch)) {
      const Value v = group.key();
      if (Operation* definer = v.getDefiningOp(); definer && of_micro_batch && !actions.has(v, m) &&
                                                  partition_.device.lookup(definer) == actions.device())
        return definer->emitOpError()
               << "belongs to stage " << stage_of(definer) << " of " << actions.device()
               << ", and an action before it on the same device needs its result (use schedule=gpipe with "
                  "chunks=1, or place the ops so that values flow from each stage to the next "
                  "one)";
      arguments.push_back(actions.fetch(v, m));
    }
    OpBuilder& at = actions.builder();
    auto call = ir::CallOp::create(at, function_.getLoc(), role.types, role.symbol, arguments,
                                   at.getI64IntegerAttr(m.shard), IntegerAttr());
    for (auto [group, value] : llvm::zip(role.results, call.getValues()))
      actions.define(group.key(), value, m);
    return success();
  }

  // Emits a role with one op that tests whether the operands of this device's updates are finite, and a call
  // of the role before the commit. Scalars that the session feeds are not tested, because the session has
  // tested them. Returns the flag, or nothing if there is nothing to test.
  FailureOr<SmallVector<Value>> emit_finite_check(DeviceActions& actions, const Roles& roles) {
    const StringAttr device = actions.device();
    OpBuilder& at = actions.builder();
    CheckedValues checked;
    for (auto& [key, ops] : roles)
      for (Operation* op : key.apply ? ArrayRef<Operation*>(ops) : ArrayRef<Operation*>())
        for (OpOperand& operand : op->getOpOperands())
          if (Value v = operand.get(); edges_.is_argument(v, device, key) && needs_test(function_, v))
            checked.try_emplace(v, at.getStringAttr(description_of(operand)));
    if (checked.empty()) return SmallVector<Value>();
    SmallVector<Value> arguments;
    for (auto& [value, name] : checked) arguments.push_back(actions.fetch(value));
    auto role = make_check_role(builder_, function_, fresh(device, "/check"), device, check_id_, checked);
    if (failed(role)) return failure();
    auto call = ir::CallOp::create(at, function_.getLoc(), role->getResultTypes(), role->getName(), arguments,
                                   IntegerAttr(), IntegerAttr());
    return SmallVector<Value>{call.getValues()[0]};
  }

  ModuleOp module_;
  func::FuncOp function_;
  const Partition partition_;
  OpBuilder builder_;
  llvm::StringSet<>& symbols_;
  const int64_t check_id_;
  const SmallVector<MicroBatch> micro_batches_;
  const CutEdges edges_;
  const Frames frames_;
  PipelineSchedules& schedules_;
  const bool divided_;
  DenseMap<std::pair<Attribute, int>, SmallVector<ir::SumMicroBatchesOp>> sums_;  // by device and round
};

}  // namespace

LogicalResult cut_function(ModuleOp module, func::FuncOp function, Partition partition,
                           PipelineSchedules& schedules, bool divided, llvm::StringSet<>& symbols,
                           int64_t check_id) {
  return FunctionCutter(module, function, std::move(partition), schedules, divided, symbols, check_id).run();
}

}  // namespace cutset::passes
