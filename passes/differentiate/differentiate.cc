// SPDX-License-Identifier: Apache-2.0
// differentiate: adds the gradients of the functions that train by reverse mode, and the updates of the
// optimizers.
//
//   %w = cutset.read @w                       %w = cutset.read @w
//   %y = cutset.mul %x, %w                    %y = cutset.mul %x, %w
//   return %y {minimize}                 ->   %g = cutset.mul %one, %x
//                                             %w1, %v1 = cutset.sgd %w, %v, %g, %rate, %momentum
//                                             cutset.assign @w, %w1;  cutset.assign @"w/velocity", %v1
//
// A backward op has the placement and the id of its forward op. The sum of the gradients of a value has the
// placement and the id of the first op that reads the value. So if another device computes the value, the sum
// is sent to it, and not each summand. optimizer_updates.h adds the updates.
#include "ir/structural/structural.h"
#include "passes/differentiate/gradient_builder.h"
#include "passes/differentiate/optimizer_updates.h"
#include "passes/passes.h"

using namespace mlir;
using cutset::ir::PlacedBuilder;

namespace cutset::passes {

#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/passes.h.inc"

namespace {

struct Differentiate : ModulePass<Differentiate, impl::DifferentiateBase> {
  using ModulePass::ModulePass;

  DenseMap<Value, SmallVector<Value>>
      gradients;  // value -> the summands of its gradient, in the order in which they were found
  DenseMap<Value, ir::PlacedOpInterface> first_reader;  // value -> the op from which its last summand came
  DenseSet<Value> active;                               // values that depend on a trainable variable
  Operation* blocked_at =
      nullptr;  // the last op that passed no gradient to an operand that depends on a variable

  LogicalResult run(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>())
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (function.getResultAttr(i, kMinimize) && failed(minimize(module, function, i))) return failure();
    remove_identities(module);
    return success();
  }

  // Adds the gradients of the result `loss` and the updates, and removes the attribute that asks for them.
  LogicalResult minimize(ModuleOp module, func::FuncOp function, unsigned loss) {
    if (failed(add_gradients(module, function, loss))) return failure();
    function.removeResultAttr(loss, StringAttr::get(module.getContext(), kMinimize));
    return success();
  }

  // A view with the type of its operand only affects gradients, so it is removed after they are built. Later
  // passes can then join the ops before and after it, and no tensor is sent to its device.
  static void remove_identities(ModuleOp module) {
    module.walk([](ir::CutsetOpInterface op) {
      if (!op.op_info().view || op->getOperand(0).getType() != op->getResult(0).getType()) return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    });
  }

  LogicalResult add_gradients(ModuleOp module, func::FuncOp train, unsigned result) {
    gradients.clear();
    first_reader.clear();
    active.clear();
    blocked_at = nullptr;
    if (train.isExternal()) return train.emitError() << "the function @" << train.getName() << " has no body";
    Operation* end = train.getBody().back().getTerminator();
    const Value loss = end->getOperand(result);
    const auto settings = OptimizerSettings::of(train, result);
    if (failed(settings)) return failure();
    auto type = cast<RankedTensorType>(loss.getType());
    if (type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return emitError(loss.getLoc())
             << "the loss is " << type << ", it must be a scalar of a floating-point type (take its mean)";
    find_active(train, *settings);
    OpBuilder builder(end);
    gradients[loss].push_back(PlacedBuilder(builder, loss.getLoc(), {}).constant(type.getElementType(), 1.0));
    for (Operation* op : backwards(train))
      if (failed(visit(builder, op))) return failure();
    return update(module, train, *settings, builder, loss.getLoc());
  }

  void find_active(func::FuncOp function, const OptimizerSettings& settings) {
    SymbolTableCollection symbols;
    const auto is_trained = [&](ir::ReadOp read) {
      return settings.trains(read.getVariable()) &&
             !symbols.lookupNearestSymbolFrom<ir::VariableOp>(read, read.getVariableAttr()).getFrozen();
    };
    function.walk([&](Operation* op) {
      auto read = dyn_cast<ir::ReadOp>(op);
      if ((read && is_trained(read)) ||
          llvm::any_of(op->getOperands(), [&](Value v) { return active.contains(v); }))
        for (Value r : op->getResults()) active.insert(r);
    });
  }

  static SmallVector<Operation*> backwards(func::FuncOp function) {
    SmallVector<Operation*> ops;
    for (Operation& op : function.getBody().front().without_terminator()) ops.push_back(&op);
    std::reverse(ops.begin(), ops.end());
    return ops;
  }

  // Returns the gradient of a value, which is the sum of its summands, or null if there are none. Fails if
  // the sum cannot be built.
  FailureOr<Value> total(OpBuilder& builder, Value value) {
    auto it = gradients.find(value);
    if (it == gradients.end()) return Value();
    if (it->second.size() > 1) {
      ir::PlacedOpInterface reader = first_reader.lookup(value);
      PlacedBuilder build(builder, reader.getLoc(), reader.placement());
      it->second = {build("add_n", it->second)};
      if (build.failed()) return failure();
    }
    return it->second.front();
  }

  // Returns the op that computes an integer operand of `op` that depends on a variable; null if there is
  // none.
  Operation* integers_of(Operation* op) {
    auto computed = dyn_cast<ir::CutsetOpInterface>(op);
    if (!computed) return nullptr;
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
      if (active.contains(v) && v.getDefiningOp<ir::CutsetOpInterface>() &&
          !computed.op_info().reads_type_only(i) &&
          !isa<FloatType>(cast<RankedTensorType>(v.getType()).getElementType()))
        return v.getDefiningOp();
    return nullptr;
  }

  // Builds the gradients of the operands of `op` from the gradients of its results.
  LogicalResult visit(OpBuilder& builder, Operation* op) {
    auto placed = dyn_cast<ir::PlacedOpInterface>(op);
    if (!placed ||
        llvm::none_of(op->getResults(), [&](Value r) { return gradients.contains(r) && active.contains(r); }))
      return success();
    const OpInfo& info = cast<ir::CutsetOpInterface>(op).op_info();
    if (!info.gradient) {
      bool depends = false;  // operands that are read only for their types do not count
      for (auto [i, v] : llvm::enumerate(op->getOperands())) {
        if (!active.contains(v) || info.reads_type_only(i)) continue;
        if (isa<FloatType>(cast<RankedTensorType>(v.getType()).getElementType()))
          return op->emitOpError() << "is not differentiable, and the loss depends on a variable through it";
        depends = true;
      }
      if (depends && !blocked_at) blocked_at = op;
      return success();
    }
    PlacedBuilder build(builder, op->getLoc(), placed.placement());
    const Attributes attributes = ir::attributes_of(op);
    Differentiated differentiated{
        to_graph_values(op->getOperands()), to_graph_values(op->getResults()), {}, attributes};
    for (Value r : op->getResults()) {
      const FailureOr<Value> gradient = total(builder, r);
      if (failed(gradient)) return failure();
      differentiated.gradients.push_back(to_graph_value(*gradient));
    }
    MlirGradientBuilder gradient_builder(build, op);
    SmallVector<Value> operand_gradients;
    for (const GraphValue v : info.gradient(gradient_builder, ir::flat_attributes(op).data(), differentiated))
      operand_gradients.push_back(to_mlir(v));
    if (build.failed()) return failure();
    if (operand_gradients.size() > op->getNumOperands())
      return op->emitOpError() << "gave " << operand_gradients.size() << " gradients for "
                               << op->getNumOperands() << " operands";
    operand_gradients.resize(op->getNumOperands());
    bool depends = false, reached = false;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (active.contains(operand) && !info.reads_type_only(i)) {
        depends = true;
        reached |= !!operand_gradients[i];
      }
    if (depends && !reached && !blocked_at) blocked_at = op;
    for (auto [operand, gradient] : llvm::zip(op->getOperands(), operand_gradients)) {
      if (!gradient || !active.contains(operand)) continue;
      if (gradient.getType() != operand.getType())
        return op->emitOpError() << "gave a gradient of " << gradient.getType() << " for an operand of "
                                 << operand.getType();
      gradients[operand].push_back(gradient);
      first_reader[operand] = placed;
    }
    return success();
  }

  // Adds the updates of the variables that have a gradient.
  LogicalResult update(ModuleOp module, func::FuncOp train, const OptimizerSettings& settings,
                       OpBuilder& builder, Location loss_loc) {
    VariableGradients variables;
    train.walk([&](ir::ReadOp read) {
      if (auto it = gradients.find(read.getValue()); it != gradients.end())
        variables[read.getVariableAttr().getAttr()].append(it->second);
    });
    if (variables.empty()) {
      auto error = emitError(loss_loc) << "minimize trains nothing: ";
      if (!blocked_at)
        return error << "the loss depends on no trainable variable; a variable is not trainable if it is "
                        "frozen or was made with trainable = false";
      // If the op without a gradient reads integers, the error names the op that converts floating-point
      // numbers to these integers.
      for (Operation* maker = blocked_at; maker; maker = integers_of(maker)) blocked_at = maker;
      return error << "every path from a trainable variable to the loss goes through an op without a "
                      "gradient, such as '"
                   << blocked_at->getName() << "'"
                   << (ir::source_of(blocked_at->getLoc()).empty()
                           ? ""
                           : " at " + ir::source_of(blocked_at->getLoc()));
    }
    if (failed(add_updates(module, train, settings, builder, variables))) return failure();
    if (!config.gradients) return success();
    SmallVector<Value> yielded(train.getBody().back().getTerminator()->getOperands());
    SmallVector<StringAttr> names;
    for (auto& [variable, gradient] : variables) {
      yielded.push_back(gradient.front());
      names.push_back(builder.getStringAttr("gradient:" + variable.getValue()));
    }
    yield(train, yielded, names);
    return success();
  }

  // Makes the gradients of the variables results of the function.
  static void yield(func::FuncOp train, ArrayRef<Value> values, ArrayRef<StringAttr> names) {
    Builder b(train.getContext());
    SmallVector<DictionaryAttr> attributes;
    for (unsigned i = 0; i < train.getNumResults(); ++i) attributes.push_back(train.getResultAttrDict(i));
    for (StringAttr name : names)
      attributes.push_back(
          b.getDictionaryAttr({b.getNamedAttr(kOutput, name), b.getNamedAttr(kGradient, b.getUnitAttr())}));
    train.setType(b.getFunctionType(train.getArgumentTypes(), ValueRange(values).getTypes()));
    train.setAllResultAttrs(attributes);
    train.getBody().back().getTerminator()->setOperands(values);
  }
};

}  // namespace

std::unique_ptr<Pass> create_differentiate(const CompileConfig& config) {
  return std::make_unique<Differentiate>(config);
}

}  // namespace cutset::passes
