// differentiate: reverse mode over @train, then the optimizer's updates.
//
//   %w = cutset.read @w                       %w = cutset.read @w
//   %y = cutset.mul %x, %w                    %y = cutset.mul %x, %w
//   return %y {loss}                     ->   %g = cutset.mul %one, %x
//                                             %w1, %v1 = cutset.sgd %w, %v, %g, %rate, %momentum
//                                             cutset.assign @w, %w1;  cutset.assign @w/velocity, %v1
//
// A backward op carries the placement and id of its forward op; the sum of a variable's gradients has the id of the
// update, so that both are placed with the variable. Which optimizer it is, and how many variables of state it
// keeps, the op that the module names says itself. Its hyper-parameters become arguments of @train, which the
// session feeds.
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/support/hyper_parameter.h"
#include "passes/support/next_id.h"

using namespace mlir;
using cutset::ir::Build;

namespace cutset::passes {
namespace {

struct Differentiate : ModulePass<Differentiate> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Differentiate)
  static constexpr const char* kFlag = "differentiate";
  static constexpr const char* kSummary = "Gradients and updates become ops";
  Differentiate() = default;
  Differentiate(const Differentiate& o) : ModulePass(o) {}
  Option<bool> yieldGradients{*this, "yield-gradients", llvm::cl::desc("@train returns each variable's gradient too")};

  DenseMap<Value, SmallVector<Value>> gradients;  // contributions, in the order they were found
  DenseSet<Value> wanted;                         // values that depend on a variable that is trained
  Operation* stop = nullptr;                      // the last op on the way to one that gave no gradient

  LogicalResult run(ModuleOp module) {
    auto train = module.lookupSymbol<func::FuncOp>("train");
    if (!train) return success();
    gradients.clear(), wanted.clear(), stop = nullptr;
    if (train.isExternal() || train.getNumResults() == 0)
      return train.emitError("the function @train has no body, or returns no loss");
    Operation* end = train.getBody().back().getTerminator();
    auto name = module->getAttrOfType<StringAttr>(kLoss);
    Value loss;
    for (unsigned i = 0; i < train.getNumResults(); ++i)
      if (name && train.getResultAttrOfType<StringAttr>(i, kOutput) == name) loss = end->getOperand(i);
    if (!loss) return train.emitError() << "the loss " << name << " is not an output of @train";
    auto type = cast<RankedTensorType>(loss.getType());
    if (type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return emitError(loss.getLoc()) << "the loss is " << type
                                      << ", it must be a scalar of a floating-point type (take its mean)";
    findWanted(train);
    OpBuilder builder(end);
    gradients[loss].push_back(Build(builder, loss.getLoc(), {}).constant(type.getElementType(), 1.0));
    for (Operation* op : backwards(train))
      if (failed(visit(builder, op))) return failure();
    return update(module, train, builder, loss.getLoc());
  }

  void findWanted(func::FuncOp function) {
    SymbolTableCollection symbols;
    function.walk([&](Operation* op) {
      auto read = dyn_cast<ir::ReadOp>(op);
      if ((read && !symbols.lookupNearestSymbolFrom<ir::VariableOp>(read, read.getVariableAttr()).getFrozen()) ||
          llvm::any_of(op->getOperands(), [&](Value v) { return wanted.contains(v); }))
        for (Value r : op->getResults()) wanted.insert(r);
    });
  }

  static SmallVector<Operation*> backwards(func::FuncOp function) {
    SmallVector<Operation*> ops;
    for (Operation& op : function.getBody().front().without_terminator()) ops.push_back(&op);
    std::reverse(ops.begin(), ops.end());
    return ops;
  }

  // The sum of all contributions to a value's gradient; null where there are none.
  Value total(Build& build, Value value) {
    auto it = gradients.find(value);
    if (it == gradients.end()) return {};
    if (it->second.size() > 1) it->second = {build("accumulate", it->second)};
    return it->second.front();
  }

  LogicalResult visit(OpBuilder& builder, Operation* op) {
    auto placed = dyn_cast<ir::PlacedOpInterface>(op);
    if (!placed ||
        llvm::none_of(op->getResults(), [&](Value r) { return gradients.contains(r) && wanted.contains(r); }))
      return success();
    const OpInfo& info = cast<ir::CutsetOpInterface>(op).opInfo();
    auto rule = dyn_cast<ir::DifferentiableOpInterface>(op);
    if (!rule) {
      bool values = false;  // operands that are read for their type alone do not count
      for (auto [i, v] : llvm::enumerate(op->getOperands())) {
        if (!wanted.contains(v) || info.reads_type_only(i)) continue;
        if (isa<FloatType>(cast<RankedTensorType>(v.getType()).getElementType()))
          return op->emitOpError() << "is not differentiable, and the loss depends on a variable through it";
        values = true;
      }
      if (values && !stop) stop = op;
      return success();
    }
    Build build(builder, op->getLoc(), placed.placement());
    SmallVector<Value> of_results, of_operands(op->getNumOperands());
    for (Value r : op->getResults()) of_results.push_back(total(build, r));
    if (build.failed()) return failure();
    rule.gradient(build, of_results, of_operands);
    if (build.failed()) return failure();
    bool values = false, reached = false;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (wanted.contains(operand) && !info.reads_type_only(i)) values = true, reached |= !!of_operands[i];
    if (values && !reached && !stop) stop = op;
    for (auto [operand, gradient] : llvm::zip(op->getOperands(), of_operands)) {
      if (!gradient || !wanted.contains(operand)) continue;
      if (gradient.getType() != operand.getType())
        return op->emitOpError() << "gave a gradient of " << gradient.getType() << " for an operand of "
                                 << operand.getType();
      gradients[operand].push_back(gradient);
    }
    return success();
  }

  LogicalResult update(ModuleOp module, func::FuncOp train, OpBuilder& builder, Location loss_loc) {
    auto optimizer = module->getAttrOfType<DictionaryAttr>(kOptimizer);
    if (!optimizer) return train.emitError("the module has a loss but no optimizer");
    auto name = optimizer.getAs<StringAttr>("op");
    const OpInfo* info = name ? find_op(name.getValue().str()) : nullptr;
    if (!info || info->updates < 1)
      return train.emitError() << "the module's optimizer " << name << " is not an op that updates its operands";
    int64_t id = next_id(module);
    SymbolTable symbols(module);
    llvm::MapVector<StringAttr, SmallVector<Value>> of_variables;
    train.walk([&](ir::ReadOp read) {
      if (auto it = gradients.find(read.getValue()); it != gradients.end())
        of_variables[read.getVariableAttr().getAttr()].append(it->second);
    });
    if (of_variables.empty()) {
      auto error = emitError(loss_loc) << "minimize trains nothing: the loss depends on no trainable variable";
      if (stop)
        error << " but through '" << stop->getName() << "'"
              << (ir::sourceOf(stop->getLoc()).empty() ? "" : " at " + ir::sourceOf(stop->getLoc()))
              << ", which has no gradient";
      return error;
    }
    DenseMap<StringAttr, ir::AssignOp> assigned;
    for (auto assign : train.getOps<ir::AssignOp>()) assigned[assign.getVariableAttr().getAttr()] = assign;
    SmallVector<Value> yielded(train.getBody().back().getTerminator()->getOperands());
    SmallVector<StringAttr> names;
    for (auto& [variable, list] : of_variables) {
      auto symbol = symbols.lookup<ir::VariableOp>(variable);
      if (auto assign = assigned.lookup(variable))
        return assign.emitOpError() << "sets the variable '" << variable.getValue()
                                    << "', which minimize trains in the same step (make it with .trainable = false)";
      Build build(builder, symbol.getLoc(), {{}, {}, 0, -1, id++});
      Value gradient = list.size() > 1 ? build("accumulate", list) : list.front();
      if (!gradient) return failure();
      SmallVector<StringAttr> targets{variable};
      SmallVector<Value> operands{
          ir::ReadOp::create(builder, symbol.getLoc(), gradient.getType(), FlatSymbolRefAttr::get(variable))};
      for (int i = 1; i < info->updates; ++i) {
        const StringRef what = info->operands[static_cast<size_t>(i)];
        auto state = builder.getStringAttr(variable.getValue() + "/" + what);
        if (Operation* taken = symbols.lookup(state))
          return taken->emitError() << "variable '" << state.getValue() << "' has the name of the " << what
                                    << " that the optimizer '" << info->name << "' keeps of variable '"
                                    << variable.getValue() << "'; give it another name";
        OpBuilder before(symbol);
        symbols.insert(ir::VariableOp::create(before, symbol.getLoc(), state, symbol.getTypeAttr(),
                                              FlatSymbolRefAttr::get(variable), ArrayAttr(), UnitAttr()));
        operands.push_back(
            ir::ReadOp::create(builder, symbol.getLoc(), gradient.getType(), FlatSymbolRefAttr::get(state)));
        targets.push_back(state);
      }
      operands.push_back(gradient);
      for (size_t i = operands.size(); i < info->operands.size(); ++i) {
        auto initial = optimizer.getAs<FloatAttr>(info->operands[i]);
        if (!initial)
          return train.emitError() << "the module's optimizer '" << info->name << "' has no '" << info->operands[i]
                                   << "'";
        const Type element = cast<RankedTensorType>(gradient.getType()).getElementType();
        auto scalar = hyper_parameter(train, info->operands[i], initial, element);
        if (failed(scalar)) return failure();
        operands.push_back(cast<RankedTensorType>(scalar->getType()).getElementType() == element
                               ? *scalar
                               : build("cast", {*scalar}, {build.attribute("dtype", element)}));
      }
      Operation* step = build.op(info->name, operands);
      if (!step)
        return train.emitError() << "the optimizer '" << info->name << "' cannot update @" << variable.getValue();
      for (auto [i, target] : llvm::enumerate(targets))
        ir::AssignOp::create(builder, symbol.getLoc(), FlatSymbolRefAttr::get(target), step->getResult(i));
      yielded.push_back(gradient);
      names.push_back(builder.getStringAttr("gradient:" + variable.getValue()));
    }
    if (yieldGradients) yield(train, yielded, names);
    return success();
  }

  static void yield(func::FuncOp train, ArrayRef<Value> values, ArrayRef<StringAttr> names) {
    const unsigned before = train.getNumResults();
    for (auto [i, name] : llvm::enumerate(names)) {
      const auto at = before + static_cast<unsigned>(i);
      Builder b(train.getContext());
      (void)train.insertResult(at, values[at].getType(), b.getDictionaryAttr(b.getNamedAttr(kOutput, name)));
    }
    train.getBody().back().getTerminator()->setOperands(values);
  }
};

}  // namespace

std::unique_ptr<Pass> createDifferentiate(bool yieldGradients) {
  auto pass = std::make_unique<Differentiate>();
  pass->yieldGradients = yieldGradients;
  return pass;
}

}  // namespace cutset::passes
