// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/function_cutter.h"

#include <set>

#include "mlir/IR/IRMapping.h"
#include "passes/cut/new_role.h"
#include "passes/cut/roles/frames.h"
#include "passes/cut/schedule/cut_edges.h"
#include "passes/cut/schedule/finite_check.h"
#include "passes/cut/schedule/micro_batch_order.h"
#include "passes/cut/schedule/micro_batch_sums.h"
#include "passes/passes.h"
#include "passes/support/placement/value_origin.h"

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
        p_(std::move(partition)),
        builder_(module.getContext()),
        i64_(builder_.getI64Type()),
        origin_(builder_.getStringAttr(kOrigin)),
        symbols_(symbols),
        check_id_(check_id),
        micro_batches_(micro_batches_of(function)),
        samples_(samples_of(function)),
        edges_(function, p_, micro_batches_),
        frames_(function, p_),
        schedules_(schedules),
        divided_(divided) {
    for (auto sum : function.getBody().front().getOps<ir::SumMicroBatchesOp>())
      sums_[{p_.device.lookup(sum), p_.role.lookup(sum.getPartials()[0].getDefiningOp()).round}].push_back(
          sum);
  }

  LogicalResult run() {
    bool applies = false;
    for (auto& [device, roles] : p_.roles)
      applies |= llvm::any_of(roles, [](auto& r) { return r.first.apply; });
    return success(llvm::all_of(p_.roles, [&](auto& of_device) {
      return succeeded(emit_schedule(of_device.first, of_device.second, applies));
    }));
  }

 private:
  // Returns `name`, with apostrophes appended until it is unique among the symbols of the module.
  std::string fresh(std::string name) {
    while (!symbols_.insert(name).second) name += "'";
    return name;
  }

  // A role with the values of the function that its calls take and give.
  struct Role {
    FlatSymbolRefAttr symbol;
    SmallVector<ValueGroup> arguments, results;
    SmallVector<bool> of_micro_batch;  // by argument: whether it belongs to a micro-batch
    SmallVector<Type> types;           // by result
  };
  Role emit_role(StringAttr device, RoleKey key, ArrayRef<Operation*> ops) {
    const SmallVector<ValueGroup> arguments = frames_.groups_of(edges_.arguments_of(device, key, ops)),
                                  results = frames_.groups_of(edges_.results_of(device, key, ops));
    const std::string stage = function_->hasAttr(kChunks) && key.round % 2 == 1 && !key.apply
                                  ? "stage" + std::to_string(key.stage) + "/"
                                  : "";
    const std::string name =
        fresh((function_.getName() + "/" + device.getValue() + "/" + stage + name_of(key.kind) +
               (key.apply            ? ""
                : key.round % 2 == 1 ? std::to_string(key.shard_class)
                                     : std::to_string(key.level)))
                  .str());
    auto role = new_role(builder_, module_, function_.getLoc(), name, name_of(key.kind), device,
                         types_of(arguments), types_of(results));
    if (const auto* first = llvm::find_if(
            micro_batches_, [&](const MicroBatch& m) { return m.shard_class == key.shard_class; });
        key.round % 2 == 1 && first != micro_batches_.end())
      role->setAttr(kFirstShard, i64(first->shard));
    IRMapping map;
    for (unsigned next = 0; const ValueGroup& group : arguments)
      for (Value v : group.values) map.map(v, role.getArgument(next++));
    for (Operation* op : ops) {
      for (Value v : op->getOperands())
        if (!map.contains(v)) map.map(v, builder_.clone(*v.getDefiningOp())->getResult(0));
      builder_.clone(*op, map);
    }
    SmallVector<Value> returned;
    Role made{FlatSymbolRefAttr::get(role), arguments, results, {}, {}};
    for (const ValueGroup& group : results) {
      made.types.push_back(group.type());
      for (Value v : group.values) returned.push_back(map.lookup(v));
    }
    func::ReturnOp::create(builder_, function_.getLoc(), returned);
    for (const ValueGroup& group : arguments)
      made.of_micro_batch.push_back(class_of(function_, group.key()) >= 0);
    return made;
  }

  LogicalResult emit_schedule(StringAttr device, const std::map<RoleKey, SmallVector<Operation*>>& roles,
                              bool applies) {
    builder_.setInsertionPointToEnd(module_.getBody());
    auto schedule = ir::ScheduleOp::create(builder_, function_.getLoc(),
                                           fresh((function_.getName() + "/" + device.getValue()).str()),
                                           function_.getName(), device.getValue());
    Block* actions = builder_.createBlock(&schedule.getActions());
    OpBuilder at(actions, actions->end());
    DenseMap<Value, Value> here;  // values of the function -> their values on this device
    mine_.clear(), mine_.resize(micro_batches_.size());
    bool committed = false;
    int round = 0;
    for (auto& [key, ops] : roles) {
      if (key.round % 2 ==
          1) {  // all roles of the round are called together, in the order of the micro-batches
        if (key.round > round && failed(emit_micro_batches(at, device, roles, key.round, here)))
          return failure();
        round = key.round;
        continue;
      }
      if (key.apply && !committed) {
        // The operands of updates are fetched before the commit, because nothing after the commit may fail.
        for (auto& [later, updates] : roles)
          if (later.apply)
            for (Value v : edges_.arguments_of(device, later, updates)) fetch(at, v, device, here);
        emit_outputs(at, device, here);
        const auto finite = emit_finite_check(at, device, roles, here);
        if (failed(finite)) return failure();
        ir::CommitOp::create(at, function_.getLoc(), *finite), committed = true;
      }
      Role role = emit_role(device, key, ops);
      SmallVector<Value> given;
      for (const ValueGroup& group : role.arguments) given.push_back(fetch(at, group.key(), device, here));
      auto call = ir::CallOp::create(at, function_.getLoc(), role.types, role.symbol, given, IntegerAttr(),
                                     IntegerAttr());
      for (auto [group, value] : llvm::zip(role.results, call.getValues())) {
        here[group.key()] = value;
        emit_uses_elsewhere(at, group.key(), value);
      }
    }
    if (!committed) emit_outputs(at, device, here);
    if (applies && !committed) ir::CommitOp::create(at, function_.getLoc(), ValueRange());
    return success();
  }

  // Emits the calls of all micro-batches in round `round`, in the order of the schedule, and the additions of
  // their partial sums.
  LogicalResult emit_micro_batches(OpBuilder& at, StringAttr device,
                                   const std::map<RoleKey, SmallVector<Operation*>>& roles, int round,
                                   DenseMap<Value, Value>& here) {
    using Stage = std::pair<int64_t, RoleKind>;  // the roles of one kind of a stage
    std::map<Stage, MicroBatchSums> sums;
    std::map<std::pair<Stage, int64_t>, SmallVector<Role>> of_class;
    for (auto& [key, ops] : roles)
      if (key.round == round)
        of_class[{{key.stage, key.kind}, key.shard_class}].push_back(emit_role(device, key, ops));
    for (auto sum : sums_.lookup({device, round})) {
      Stage last;  // of the roles that compute the partial sums of the classes
      for (Value v : sum.getPartials()) {
        const RoleKey key = p_.role.lookup(v.getDefiningOp());
        last = {key.stage, std::max(last.second, key.kind)};
      }
      sums.try_emplace(last, function_, frames_,
                       [&](const char* name) {
                         return fresh((function_.getName() + "/" + device.getValue() + "/" + name).str());
                       })
          .first->second.include(sum);
    }
    auto order = micro_batch_order(function_, schedules_, divided_, device);
    if (failed(order)) return failure();
    std::set<int64_t> computed, stages;
    for (const MicroBatchAction& action : *order) {
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
    for (const auto& [kind, stage, shard] : *order) {
      const MicroBatch& m = micro_batches_[static_cast<size_t>(shard)];
      auto find = [&](Value v) { return fetch_of(at, v, device, here, m); };
      for (Role& role : of_class[{{stage, kind}, m.shard_class}])
        if (failed(call_role(at, role, device, m, find))) return failure();
      if (auto its = sums.find({stage, kind}); its != sums.end() && failed(its->second.add(at, m, find)))
        return failure();
    }
    for (auto& [kind, its] : sums)
      for (auto& [sum, total] : its.totals(at))
        here[sum.getSum()] = total, emit_uses_elsewhere(at, sum.getSum(), total);
    return success();
  }

  // Fails if the schedule calls a role that computes an argument on this device later.
  LogicalResult call_role(OpBuilder& at, Role& role, StringAttr device, const MicroBatch& m,
                          function_ref<Value(Value)> find) {
    auto& mine = mine_[static_cast<size_t>(m.shard)];
    SmallVector<Value> given;
    for (auto [group, of_micro_batch] : llvm::zip(role.arguments, role.of_micro_batch)) {
      const Value v = group.key();
      if (Value known = of_micro_batch ? mine.lookup(v) : Value()) {
        given.push_back(known);
        continue;
      }
      if (Operation* definer = v.getDefiningOp();
          definer && of_micro_batch && p_.device.lookup(definer) == device)
        return definer->emitOpError()
               << "belongs to stage " << stage_of(definer) << " of " << device
               << ", and an action before it on the same device needs its result (use schedule=gpipe with "
                  "chunks=1, or place the ops so that values flow from each stage to the next "
                  "one)";
      given.push_back(find(v));
    }
    auto call = ir::CallOp::create(at, function_.getLoc(), role.types, role.symbol, given, i64(m.shard),
                                   IntegerAttr());
    for (auto [group, value] : llvm::zip(role.results, call.getValues())) {
      const Value original = group.key();
      mine[original] = value;
      for (const auto& t : edges_.transfers(original))
        ir::SendOp::create(at, original.getLoc(), value, t.to, t.channel + m.nth);
      for (const auto& out : edges_.outputs(original))
        emit_output(at, original, value, out, out.rows.start_of(m));
    }
    return success();
  }

  // Returns the value on `device`, which is that of a micro-batch if the value belongs to one.
  Value fetch_of(OpBuilder& at, Value v, StringAttr device, DenseMap<Value, Value>& here,
                 const MicroBatch& m) {
    auto& mine = mine_[static_cast<size_t>(m.shard)];
    if (Value known = mine.lookup(v)) return known;
    if (class_of(function_, v) < 0) return fetch(at, v, device, here);
    if (Operation* definer = v.getDefiningOp()) {
      const Attribute origin =
          one_result(definer->getDiscardableAttr(kOrigin), cast<OpResult>(v).getResultNumber());
      return mine[v] = receive(at, v, device, m.nth, moved_origin(origin, m.later));
    }
    const unsigned number = cast<BlockArgument>(v).getArgNumber();
    return mine[v] = emit_input(at, v, rows_of(v).start_of(m),
                                moved_origin(function_.getArgAttr(number, kOrigin), m.later));
  }

  // The rows of an input that the argument `v` of the function is.
  PortRows rows_of(Value v) {
    return {function_.getArgAttrDict(cast<BlockArgument>(v).getArgNumber()), samples_};
  }
  // Emits an input of the argument `v` of the function, or of its rows from `start` on.
  Value emit_input(OpBuilder& at, Value v, int64_t start, Attribute origin) {
    const unsigned number = cast<BlockArgument>(v).getArgNumber();
    auto input = ir::InputOp::create(at, v.getLoc(), v.getType(),
                                     function_.getArgAttrOfType<StringAttr>(number, kInput), i64(start),
                                     i64(rows_of(v).dimension()));
    label(input, origin);
    return input.getValue();
  }
  // Emits an output of `value`, which stands for the value `original` of the function.
  void emit_output(OpBuilder& at, Value original, Value value, const CutEdges::Output& out, int64_t start) {
    ir::OutputOp::create(at, original.getLoc(), value, out.name, i64(start), i64(out.rows.dimension()));
  }

  // Emits a role with one op that tests whether the operands of this device's updates are finite, and a call
  // of the role before the commit. Scalars that the session feeds are not tested, because the session has
  // tested them. Returns the flag, or nothing if there is nothing to test.
  FailureOr<SmallVector<Value>> emit_finite_check(OpBuilder& at, StringAttr device,
                                                  const std::map<RoleKey, SmallVector<Operation*>>& roles,
                                                  DenseMap<Value, Value>& here) {
    CheckedValues checked;
    for (auto& [key, ops] : roles)
      for (Operation* op : key.apply ? ArrayRef<Operation*>(ops) : ArrayRef<Operation*>())
        for (OpOperand& operand : op->getOpOperands())
          if (Value v = operand.get(); edges_.is_argument(v, device, key) && needs_test(function_, v))
            checked.try_emplace(v, at.getStringAttr(description_of(operand)));
    if (checked.empty()) return SmallVector<Value>();
    SmallVector<Value> given;
    for (auto& [value, name] : checked) given.push_back(fetch(at, value, device, here));
    auto role = make_check_role(builder_, function_,
                                fresh((function_.getName() + "/" + device.getValue() + "/check").str()),
                                device, check_id_, checked);
    if (failed(role)) return failure();
    auto call = ir::CallOp::create(at, function_.getLoc(), role->getResultTypes(), role->getName(), given,
                                   IntegerAttr(), IntegerAttr());
    return SmallVector<Value>{call.getValues()[0]};
  }

  // Emits every send, all_reduce start and output of a value that this device computed.
  void emit_uses_elsewhere(OpBuilder& at, Value original, Value value) {
    for (const auto& t : edges_.transfers(original))
      ir::SendOp::create(at, original.getLoc(), value, t.to, t.channel);
    for (auto [op, i] : edges_.partials(original))
      ir::AllReduceStartOp::create(
          at, op.getLoc(), value, i64(edges_.number_of(op)),
          at.getDenseI64ArrayAttr({op.getShards()[2 * i], op.getShards()[2 * i + 1]}));
    for (const auto& out : edges_.outputs(original)) emit_output(at, original, value, out, out.rows.start());
  }

  // Emits the outputs of the function that are sums or inputs and that this device hands to the host. A
  // constant is returned by a role, like the result of an op.
  void emit_outputs(OpBuilder& at, StringAttr device, DenseMap<Value, Value>& here) {
    for (auto& [value, outputs] : edges_.outputs()) {
      if (edges_.output_device(value) != device || is_unplaced(value.getDefiningOp())) continue;
      if (class_of(function_, value) < 0) emit_uses_elsewhere(at, value, fetch(at, value, device, here));
      for (const MicroBatch& m : micro_batches_)
        if (class_of(function_, value) == m.shard_class)
          for (const auto& out : outputs)
            emit_output(at, value, fetch_of(at, value, device, here, m), out, out.rows.start_of(m));
    }
  }

  // Returns the value on `device`. A value that is not there yet is an input of the function, a sum over
  // devices or a value of another device; an action that makes it available is emitted.
  Value fetch(OpBuilder& at, Value v, StringAttr device, DenseMap<Value, Value>& here) {
    if (Value known = here.lookup(v)) return known;
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      const unsigned number = argument.getArgNumber();
      return here[v] = emit_input(at, v, rows_of(v).start(), function_.getArgAttr(number, kOrigin));
    }
    Operation* definer = v.getDefiningOp();
    const Attribute origin = definer->getDiscardableAttr(kOrigin);
    if (auto reduced = dyn_cast<ir::AllReduceOp>(definer)) {
      auto wait = ir::AllReduceWaitOp::create(at, v.getLoc(), v.getType(), i64(edges_.number_of(reduced)));
      label(wait, origin);
      return here[v] = wait.getSums()[0];
    }
    return here[v] = receive(at, v, device, 0, one_result(origin, cast<OpResult>(v).getResultNumber()));
  }
  // Receives a value over the channel number `nth` of its transfer to `device`.
  Value receive(OpBuilder& at, Value v, StringAttr device, int64_t nth, Attribute origin) {
    auto recv = ir::RecvOp::create(at, v.getLoc(), v.getType(), p_.device.lookup(v.getDefiningOp()),
                                   edges_.channel_to(device, v) + nth);
    label(recv, origin);
    return recv.getValue();
  }
  // Gives a new action, which has no discardable attribute yet, its origin.
  void label(Operation* op, Attribute origin) const {
    if (origin)
      op->setDiscardableAttrs(
          DictionaryAttr::getWithSorted(op->getContext(), NamedAttribute(origin_, origin)));
  }

  ModuleOp module_;
  IntegerAttr i64(int64_t n) const { return IntegerAttr::get(i64_, n); }

  func::FuncOp function_;
  Partition p_;
  OpBuilder builder_;
  const IntegerType i64_;
  const StringAttr origin_;  // the name of the attribute for origins
  llvm::StringSet<>& symbols_;
  const int64_t check_id_;
  const SmallVector<MicroBatch> micro_batches_;
  const int64_t samples_;
  const CutEdges edges_;
  const Frames frames_;
  PipelineSchedules& schedules_;
  const bool divided_;
  DenseMap<std::pair<Attribute, int>, SmallVector<ir::SumMicroBatchesOp>> sums_;  // by device and round
  // Per micro-batch: values of the function -> its values on the device. A frame is known by the key of its
  // group.
  std::vector<DenseMap<Value, Value>> mine_;
};

}  // namespace

LogicalResult cut_function(ModuleOp module, func::FuncOp function, Partition partition,
                           PipelineSchedules& schedules, bool divided, llvm::StringSet<>& symbols,
                           int64_t check_id) {
  return FunctionCutter(module, function, std::move(partition), schedules, divided, symbols, check_id).run();
}

}  // namespace cutset::passes
