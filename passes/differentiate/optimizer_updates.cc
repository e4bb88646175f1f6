#include "passes/differentiate/optimizer_updates.h"

#include "ir/dialect/placed_builder.h"
#include "passes/passes.h"
#include "passes/support/hyper_parameter.h"
#include "passes/support/next_id.h"

using namespace mlir;
using cutset::ir::PlacedBuilder;

namespace cutset::passes {
namespace {

class Updates {
 public:
  Updates(ModuleOp module, func::FuncOp train, OpBuilder& builder)
      : module_(module), train_(train), b_(builder), symbols_(module), next_id_(next_id(module)) {}

  LogicalResult run(VariableGradients& variables) {
    settings_ = module_->getAttrOfType<DictionaryAttr>(kOptimizer);
    if (!settings_) return train_.emitError("the module has a loss but no optimizer");
    auto name = settings_.getAs<StringAttr>("op");
    optimizer_ = name ? find_op(name.getValue().str()) : nullptr;
    if (!optimizer_ || optimizer_->updates < 1 ||
        optimizer_->operands.size() <= static_cast<size_t>(optimizer_->updates))
      return train_.emitError() << "the module's optimizer " << name << " is not an op that updates its operands";
    for (const AttrField& field : optimizer_->schema.fields)
      if (Attribute given = settings_.get(field.name)) attributes_.push_back(b_.getNamedAttr(field.name, given));
    for (auto assign : train_.getOps<ir::AssignOp>()) assigned_[assign.getVariableAttr().getAttr()] = assign;
    for (auto& [name, summands] : variables)
      if (failed(update(name, summands))) return failure();
    return success();
  }

 private:
  LogicalResult update(StringAttr name, SmallVector<Value>& summands) {
    auto variable = symbols_.lookup<ir::VariableOp>(name);
    if (auto assign = assigned_.lookup(name))
      return assign.emitOpError() << "sets the variable '" << name.getValue()
                                  << "', which minimize trains in the same step (make it with .trainable = false)";
    PlacedBuilder build(b_, variable.getLoc(), ir::Placement{.id = next_id_++});
    if (summands.size() > 1) summands = {build("add_n", summands)};
    const Value gradient = summands.front();
    if (!gradient) return failure();
    SmallVector<StringAttr> targets{name};
    SmallVector<Value> operands{read(variable)};
    if (failed(add_states(variable, targets, operands))) return failure();
    operands.push_back(gradient);
    for (size_t i = operands.size(); i < optimizer_->operands.size(); ++i) {
      auto scalar =
          fed(build, optimizer_->operands[i].name, cast<RankedTensorType>(gradient.getType()).getElementType());
      if (failed(scalar)) return failure();
      operands.push_back(*scalar);
    }
    Operation* step = build.op(optimizer_->name, operands, attributes_);
    if (!step)
      return train_.emitError() << "the optimizer '" << optimizer_->name << "' cannot update @" << name.getValue();
    for (auto [i, target] : llvm::enumerate(targets))
      ir::AssignOp::create(b_, variable.getLoc(), FlatSymbolRefAttr::get(target), step->getResult(i));
    return success();
  }

  Value read(ir::VariableOp variable) {
    return ir::ReadOp::create(b_, variable.getLoc(), variable.getType(),
                              FlatSymbolRefAttr::get(variable.getSymNameAttr()));
  }

  // Makes the states of a variable, and appends their names and their values.
  LogicalResult add_states(ir::VariableOp variable, SmallVector<StringAttr>& targets, SmallVector<Value>& operands) {
    if (!optimizer_->states) return success();
    auto given = ir::attributes_of(b_.getDictionaryAttr(attributes_));
    auto flat = given ? FlatAttrs::pack(optimizer_->schema, *std::move(given)) : Result<FlatAttrs>(given.error());
    if (!flat)
      return train_.emitError() << "the module's optimizer '" << optimizer_->name << "': " << flat.error().what;
    const auto states = optimizer_->states(flat->data(), *ir::tensor_type(variable.getType()));
    for (auto [i, state] : llvm::enumerate(states)) {
      const StringRef what = optimizer_->operands[i + 1].name;
      auto made = add_state(variable, what, state);
      if (failed(made)) return failure();
      operands.push_back(read(*made));
      targets.push_back(made->getSymNameAttr());
    }
    return success();
  }

  // Makes the variable "NAME/WHAT", a state of the variable NAME.
  FailureOr<ir::VariableOp> add_state(ir::VariableOp variable, StringRef what, const VariableState& state) {
    auto name = b_.getStringAttr(variable.getSymName() + "/" + what);
    if (Operation* taken = symbols_.lookup(name))
      return taken->emitError() << "variable '" << name.getValue() << "' has the name of the " << what
                                << " that the optimizer '" << optimizer_->name << "' keeps of variable '"
                                << variable.getSymName() << "'; give it another name";
    OpBuilder before(variable);
    auto made = ir::VariableOp::create(
        before, variable.getLoc(), name, TypeAttr::get(ir::mlir_type(b_.getContext(), state.type)),
        FlatSymbolRefAttr::get(variable.getSymNameAttr()), ArrayAttr(), UnitAttr(), DenseI64ArrayAttr(), IntegerAttr(),
        state.first == 0 ? FloatAttr() : b_.getF64FloatAttr(state.first), UnitAttr());
    symbols_.insert(made);
    return made;
  }

  // The hyper-parameter `name` as a scalar of type `element`.
  FailureOr<Value> fed(PlacedBuilder& build, StringRef name, Type element) {
    auto initial = settings_.getAs<FloatAttr>(name);
    if (!initial)
      return train_.emitError() << "the module's optimizer '" << optimizer_->name << "' has no '" << name << "'";
    auto scalar = hyper_parameter(train_, name, initial, element);
    if (failed(scalar) || cast<RankedTensorType>(scalar->getType()).getElementType() == element) return scalar;
    return build("cast", {*scalar}, {build.attribute("dtype", element)});
  }

  ModuleOp module_;
  func::FuncOp train_;
  OpBuilder& b_;
  SymbolTable symbols_;
  int64_t next_id_;
  DictionaryAttr settings_;  // the attribute `cutset.optimizer`
  const OpInfo* optimizer_ = nullptr;
  SmallVector<NamedAttribute> attributes_;  // of the optimizer's op
  DenseMap<StringAttr, ir::AssignOp> assigned_;
};

}  // namespace

LogicalResult add_updates(ModuleOp module, func::FuncOp train, OpBuilder& builder, VariableGradients& variables) {
  return Updates(module, train, builder).run(variables);
}

}  // namespace cutset::passes
