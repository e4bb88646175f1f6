// SPDX-License-Identifier: Apache-2.0
// shard: divides operands over the devices of a tensor axis.
//
//   cutset.variable @w : tensor<8x6xf32>         cutset.variable @w : tensor<8x6xf32> pieces [1, 2, 1]
//   %w = cutset.read @w                          %w0 = cutset.read @w
//                                                %w1 = cutset.read @w replica 1
//   %y = cutset.matmul %x, %w              ->    %y0 = cutset.matmul %x, %w0
//                                                %y1 = cutset.matmul %x, %w1 replica 1
//   %z = cutset.softmax %y                       %g0 = cutset.concat %y0, %y1
//                                                %g1 = cutset.concat %y0, %y1 replica 1
//                                                %z0 = cutset.softmax %g0
//                                                %z1 = cutset.softmax %g1 replica 1
//
// Every op is copied once per device. A copy computes a piece or a partial sum of the results if the op is
// divided along a factor of its sharding rule, and the whole results otherwise. sharding_plan.h chooses the
// factors, the pieces of the variables, and the form in which each value is kept. The states of an optimizer
// and the updates follow their variables.
//
// The number of a device on the tensor axis is the replica of its ops. `split` then copies all ops for the
// replicas of data parallelism.
#include "passes/passes.h"
#include "passes/shard/sharded_values.h"
#include "passes/shard/sharding_plan.h"
#include "passes/support/graph_functions.h"
#include "passes/support/layout/folding.h"
#include "passes/support/layout/forward_ops.h"
#include "passes/support/placement/same_bits.h"
#include "passes/support/rewriting.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_SHARD
#include "passes/passes.h.inc"

namespace {

class Sharder {
 public:
  Sharder(func::FuncOp function, const ShardingPlan& plan, int64_t devices, bool all_reduces)
      : function_(function),
        plan_(plan),
        devices_(devices),
        b_(function),
        values_(devices_, plan.units, all_reduces, b_) {}

  LogicalResult run() {
    Block* old = &function_.getBody().front();
    Block* body = new Block;
    function_.getBody().push_back(body);
    b_.setInsertionPointToEnd(body);
    for (BlockArgument a : old->getArguments()) {
      auto& forms = values_.add(a);
      forms.of[kWhole].assign(static_cast<size_t>(devices_), body->addArgument(a.getType(), a.getLoc()));
      forms.same_bits = true;
    }
    for (Operation& op : old->without_terminator())
      if (failed(visit(&op))) return failure();
    Operation* end = old->getTerminator();
    SmallVector<Value> results;
    for (Value v : end->getOperands()) {
      auto whole = values_.in(v, kWhole, end);
      if (failed(whole)) return failure();
      results.push_back(whole->front());
    }
    func::ReturnOp::create(b_, end->getLoc(), results);
    for (Operation& op : *old) op.dropAllReferences();
    old->erase();
    erase_dead(*body);
    return success();
  }

 private:
  // Copies an op for each device.
  LogicalResult visit(Operation* op) {
    const OpLayout& layout = plan_.layouts.at(op);
    auto rules = dyn_cast<ir::CutsetOpInterface>(op);
    const bool same_bits = keeps_copies_equal(op);
    SmallVector<ShardedValues::Values> made(op->getNumResults());
    for (int64_t k = 0; k < devices_; ++k) {
      if (isa<ir::ConstantOp, ir::TypeOnlyOp>(op) && k > 0) {  // it has no device, so all copies share one op
        made[0].push_back(made[0].front());
        continue;
      }
      SmallVector<Value>
          operands;  // found before the op is cloned, because ops that make them may have to be built
      for (auto [i, v] : llvm::enumerate(op->getOperands())) {
        if (rules && rules.op_info().reads_type_only(i)) {
          auto type = ir::TypeOnlyOp::create(b_, v.getLoc(), values_.type(v, layout.operands[i], k));
          if (const Layout d = plan_.units.batch(v);
              d >= 0)  // `split` must divide the op as it divides the value
            type->setAttr(kBatchDimension, b_.getI64IntegerAttr(d));
          operands.push_back(type);
          continue;
        }
        auto have = values_.in(v, layout.operands[i], op);
        if (failed(have)) return failure();
        // Copies of a variable that is not divided must stay equal, so all devices set it to the value of the
        // first device.
        const bool first = same_bits && layout.operands[i] == kWhole && !values_.at(v).same_bits;
        operands.push_back((*have)[static_cast<size_t>(first ? 0 : k)]);
      }
      Operation* copy = b_.clone(*op);
      copy->setOperands(operands);
      label(copy, op, layout, k);
      if (failed(set_types(copy, op, layout, k))) return failure();
      for (auto [r, value] : llvm::enumerate(copy->getResults())) made[r].push_back(value);
    }
    for (auto [r, value] : llvm::enumerate(op->getResults())) {
      auto& forms = values_.add(value);
      forms.of.emplace(layout.results[r], made[r]);
      forms.origin = op;
      forms.same_bits = same_bits || isa<ir::ReadOp, ir::ConstantOp, ir::TypeOnlyOp>(op);
    }
    // The readers of a result make their forms from the form in which the plan keeps the result.
    for (Value value : op->getResults())
      if (auto kept = plan_.forms.find(value); kept != plan_.forms.end() && !value.use_empty())
        if (failed(values_.in(value, kept->second, op))) return failure();
    return success();
  }

  // Sets the replica and the origin of the copy for device `k`.
  void label(Operation* copy, Operation* op, const OpLayout& layout, int64_t k) {
    if (auto placed = dyn_cast<ir::PlacedOpInterface>(copy)) placed.placement().replica = k;
    if (auto read = dyn_cast<ir::ReadOp>(copy)) read.setReplica(k);
    if (auto assign = dyn_cast<ir::AssignOp>(copy)) assign.setReplica(k);
    if (copy->getNumResults() == 0) return;
    SmallVector<Piece> pieces;
    for (auto [result, l] : llvm::zip(op->getResults(), layout.results)) {
      pieces.push_back(values_.piece(result, l, k));
      if (l == kPartial) pieces.back().factor = layout.factor;
      if (l == kPartial && layout.factor >= 0) pieces.back().unit = plan_.units.of_factor(op, layout.factor);
    }
    copy->setDiscardableAttr(kOrigin,
                             origin_attribute(copy->getContext(), number_of(copy), 0, 1, -1,
                                              SmallVector<Layout>(copy->getNumResults(), kWhole), pieces));
  }

  // Computes the types of the results of a copy again.
  LogicalResult set_types(Operation* copy, Operation* op, const OpLayout& layout, int64_t k) {
    if (auto read = dyn_cast<ir::ReadOp>(copy)) {
      read.getValue().setType(values_.type(op->getResult(0), layout.results[0], k));
      return success();
    }
    auto infers = dyn_cast<InferTypeOpInterface>(copy);
    if (!infers || !layout.split) return success();
    if (const Layout d = layout.results[0]; d >= 0)
      set_shape(copy, d, values_.range(op->getResult(0), d, k).size);
    if (layout.factor >= 0) tell_position(copy, op, layout.factor, k);
    if (failed(infer_again(infers))) return failure();
    for (auto [r, value] : llvm::enumerate(copy->getResults()))
      if (value.getType() != values_.type(op->getResult(static_cast<unsigned>(r)), layout.results[r], k))
        return op->emitOpError() << "cannot be divided along factor " << layout.factor
                                 << " of its sharding rule: piece " << k << " has the type "
                                 << value.getType();
    return success();
  }

  // Sets the attributes of a copy that say where its piece along the factor begins.
  void tell_position(Operation* copy, Operation* op, int f, int64_t k) {
    const Factor& factor = plan_.units.rule(op).factors[static_cast<size_t>(f)];
    const size_t i = factor.leading_operand();
    const Value operand = op->getOperand(static_cast<unsigned>(i));
    const int64_t unit = factor.operand_unit(i);
    const int d = factor.operands[i];
    set_position(copy, factor, values_.range(operand, d, k).start / unit,
                 cast<RankedTensorType>(operand.getType()).getDimSize(static_cast<unsigned>(d)) / unit);
  }

  func::FuncOp function_;
  const ShardingPlan& plan_;
  const int64_t devices_;
  OpBuilder b_;
  ShardedValues values_;
};

// Says why the devices cannot divide a variable along dimension `d`, as the user asked, and what the user can
// do. `function`: the function that decides about the variables. `units`: the units of its values.
std::string why_not_divided(ir::VariableOp variable, Layout d, func::FuncOp function, const PieceUnits& units,
                            const CompileConfig& config) {
  const std::string other = " (choose another dimension, or remove the call of shard)";
  const int64_t devices = config.strategy.tensor_devices();
  ir::ReadOp read;
  Operation* update = nullptr;
  for (Operation& op : function.getBody().front()) {
    auto its = dyn_cast<ir::ReadOp>(op);
    auto rules = dyn_cast<ir::CutsetOpInterface>(op);
    if (rules && rules.op_info().updates > 0) its = op.getOperand(0).getDefiningOp<ir::ReadOp>();
    if (!its || its.getVariable() != variable.getSymName()) continue;
    if (isa<ir::ReadOp>(op))
      read = its;
    else
      update = &op;
  }
  if (!read)
    return "'" + function.getName().str() +
           "', whose ops decide how variables are divided, does not read it (let '" +
           function.getName().str() + "' read it, or remove the call of shard)";
  const int64_t size = cast<RankedTensorType>(variable.getType()).getDimSize(static_cast<unsigned>(d)),
                unit = units.of(read.getValue(), d);
  if (!units.can_divide(read.getValue(), d))
    return "the dimension has " + std::to_string(size) + (size == 1 ? " element" : " elements") +
           (unit > 1 ? ", its readers can divide it only after each " + std::to_string(unit) : "") +
           ", and each of the " + std::to_string(devices) + " devices needs " +
           (unit > 1 ? std::to_string(unit) : "one") + other;
  if (update && !units.can_update(update, d))
    return "the update '" + update->getName().stripDialect().str() +
           "' cannot be computed for each piece alone" + other;
  if (const Data* data = config.strategy.find<Data>();
      data && data->shard != Data::Shard::kNothing &&
      !units.divides_evenly(read.getValue(), d, data->replicas))
    return "the " + std::to_string(data->replicas) + " replicas divide the pieces again (shard=), so " +
           std::to_string(devices * data->replicas) + " equal pieces are needed, and the dimension has " +
           std::to_string(size) + " elements" + other;
  return "the ops that read it cannot be divided together along it" + other;
}

// Fails if the plan does not divide a variable along the dimension that the user fixed.
LogicalResult check_wanted(ModuleOp module, const DividedVariables& variables, func::FuncOp planned,
                           const PieceUnits& units, const CompileConfig& config) {
  for (auto v : module.getOps<ir::VariableOp>()) {
    auto wanted = v.getDividedAttr();
    const auto its = variables.find(v.getSymName().str());
    if (!wanted || (its != variables.end() && its->second.axis == wanted.getInt())) continue;
    return v.emitOpError() << "is to be divided along dimension " << wanted.getInt() << " over "
                           << config.strategy.tensor_devices() << " devices, and cannot be: "
                           << why_not_divided(v, static_cast<Layout>(wanted.getInt()), planned, units,
                                              config);
  }
  return success();
}

struct Shard : ModulePass<Shard, impl::ShardBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    const int64_t devices = config.strategy.tensor_devices();
    if (devices == 1) return success();
    if (failed(check_bodies(module))) return failure();
    if (config.strategy.copies() > ir::kMostReplicas)
      return module.emitError() << config.strategy.copies() << " copies are too many; at most "
                                << ir::kMostReplicas;
    if (failed(refuse_pins(module, devices))) return failure();
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    func::FuncOp planned;  // @train, or else the first function that trains, or else the first one
    for (func::FuncOp function : functions) {
      fold_scalars(function);
      number_values(function);
      mark_forward_ops(function);
      if (!planned || function.getName() == "train" || (trains(function) && !trains(planned)))
        planned = function;
    }
    if (!planned) return success();
    DividedVariables variables;
    const bool is_divided =
        config.plan && config.plan->program.empty();  // by an earlier compilation of the session
    if (is_divided)
      for (const Plan::Home& home : config.plan->homes)
        if (home.axis >= 0) variables[home.variable] = {home.axis, home.unit};
    divide_states(module, variables);
    llvm::DenseMap<Operation*, ShardingPlan> plans;
    plans[planned] = plan_shardings(planned, config, is_divided ? &variables : nullptr);
    if (!is_divided) variables = plans[planned].variables;
    for (func::FuncOp function : functions)
      if (function != planned) plans[function] = plan_shardings(function, config, &variables);
    if (!is_divided && failed(check_wanted(module, variables, planned, plans[planned].units, config)))
      return failure();
    Builder b(&getContext());
    for (auto v : module.getOps<ir::VariableOp>())
      if (auto its = variables.find(v.getSymName().str()); its != variables.end())
        v.setPiecesAttr(b.getDenseI64ArrayAttr({its->second.axis, devices, its->second.unit}));
    for (func::FuncOp function : functions)
      if (failed(Sharder(function, plans[function], devices, config.strategy.micro_batches() == 1).run()))
        return failure();
    module->setAttr(kTensorDevices, b.getI64IntegerAttr(devices));
    give_missing_ids(module);
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> create_shard(const CompileConfig& config) { return std::make_unique<Shard>(config); }

}  // namespace cutset::passes
