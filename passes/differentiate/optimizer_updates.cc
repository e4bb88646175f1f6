// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/optimizer_updates.h"

#include "ir/core/op/clip_gradients.h"
#include "ir/core/op/update_rules.h"
#include "ir/dialect/placed_builder.h"
#include "passes/differentiate/gradient_builder.h"
#include "passes/passes.h"
#include "passes/support/hyper_parameter.h"
#include "passes/support/next_id.h"

using namespace mlir;
using cutset::ir::PlacedBuilder;

namespace cutset::passes {
namespace {

class Updates {
 public:
  Updates(ModuleOp module, func::FuncOp train, const OptimizerSettings& settings, OpBuilder& builder)
      : module_(module),
        train_(train),
        settings_(settings),
        b_(builder),
        symbols_(module),
        first_id_(next_id(module)) {}

  LogicalResult run(VariableGradients& variables) {
    for (auto assign : train_.getOps<ir::AssignOp>()) assigned_[assign.getVariableAttr().getAttr()] = assign;
    SmallVector<Value> gradients;
    for (auto& [name, summands] : variables) {
      if (auto assign = assigned_.lookup(name))
        return assign.emitOpError()
               << "sets the variable '" << name.getValue()
               << "', which minimize trains in the same step (make it with .trainable = false)";
      PlacedBuilder build = builder_of(name, first_id_ + static_cast<int64_t>(gradients.size()));
      if (summands.size() > 1) summands = {build("add_n", summands)};
      if (!summands.front()) return failure();
      gradients.push_back(summands.front());
    }
    fed_type_ = widest(gradients);
    if (failed(clip(variables, gradients))) return failure();
    for (auto [i, entry] : llvm::enumerate(variables))
      if (failed(update(entry.first, first_id_ + static_cast<int64_t>(i), gradients[i]))) return failure();
    return success();
  }

 private:
  // Builds ops with the id of the update of a variable, so that they run on the device of the update.
  PlacedBuilder builder_of(StringAttr variable, int64_t id) {
    return PlacedBuilder(b_, symbols_.lookup(variable)->getLoc(), ir::Placement{.id = id});
  }

  // Replaces each element of `made` by what `make` builds for the gradient of the variable.
  LogicalResult for_each(VariableGradients& variables, MutableArrayRef<Value> made,
                         function_ref<GraphValue(GradientBuilder&, GraphValue)> make) {
    for (auto [i, entry] : llvm::enumerate(variables)) {
      PlacedBuilder build = builder_of(entry.first, first_id_ + static_cast<int64_t>(i));
      MlirGradientBuilder builder(build, train_);
      made[i] = to_mlir(make(builder, to_graph_value(made[i])));
      if (build.failed()) return failure();
    }
    return success();
  }

  // Clips the gradients: each element, and then the norm of all of them. The factor is computed where the
  // first variable is updated.
  LogicalResult clip(VariableGradients& variables, SmallVector<Value>& gradients) {
    const auto value = module_->getAttrOfType<FloatAttr>(kClipValue),
               norm = module_->getAttrOfType<FloatAttr>(kClipNorm);
    PlacedBuilder build = builder_of(variables.front().first, first_id_);
    if (value) {
      const auto limit = fed(build, "clip_value", value, fed_type_);
      if (failed(limit) || failed(for_each(variables, gradients, [&](GradientBuilder& b, GraphValue g) {
            return clipped_gradient(b, g, to_graph_value(*limit));
          })))
        return failure();
    }
    if (!norm) return success();
    const auto limit = fed(build, "clip_norm", norm, fed_type_);
    SmallVector<Value> sums(gradients);
    if (failed(limit) || failed(for_each(variables, sums, square_sum))) return failure();
    MlirGradientBuilder builder(build, train_);
    const GraphValue factor = clip_factor(builder, to_graph_values(sums), to_graph_value(*limit));
    if (build.failed()) return failure();
    return for_each(variables, gradients,
                    [&](GradientBuilder& b, GraphValue g) { return scaled_gradient(b, g, factor); });
  }

  LogicalResult update(StringAttr name, int64_t id, Value gradient) {
    auto variable = symbols_.lookup<ir::VariableOp>(name);
    PlacedBuilder build = builder_of(name, id);
    SmallVector<StringAttr> targets{name};
    SmallVector<Value> operands{read(variable)};
    if (failed(add_states(variable, targets, operands))) return failure();
    operands.push_back(gradient);
    for (size_t i = operands.size(); i < optimizer().operands.size(); ++i) {
      const StringRef operand = optimizer().operands[i].name;
      const auto hyper_parameter = settings_.hyper_parameter(name.getValue(), operand);
      if (!hyper_parameter)
        return train_.emitError() << "the optimizer '" << optimizer().name << "' has no '" << operand << "'";
      auto scalar = fed(build, hyper_parameter->name, hyper_parameter->initial, computed_in(gradient));
      if (failed(scalar)) return failure();
      operands.push_back(*scalar);
    }
    Operation* step = build.op(optimizer().name, operands, settings_.attributes());
    if (!step)
      return train_.emitError() << "the optimizer '" << optimizer().name << "' cannot update @"
                                << name.getValue();
    for (auto [i, target] : llvm::enumerate(targets))
      ir::AssignOp::create(b_, variable.getLoc(), FlatSymbolRefAttr::get(target), step->getResult(i));
    return average(build, variable, step->getResult(0));
  }

  // Updates the average of a variable that has one, which make-functions made.
  LogicalResult average(PlacedBuilder& build, ir::VariableOp variable, Value updated) {
    auto settings = module_->getAttrOfType<DictionaryAttr>(kAverage);
    if (!settings) return success();
    auto state = symbols_.lookup<ir::VariableOp>((variable.getSymName() + "/" + kAverageName).str());
    if (!state || state.getStateOf() != variable.getSymName()) return success();
    auto decay = fed(build, "average_decay", settings.getAs<FloatAttr>("decay"), computed_in(updated));
    if (failed(decay)) return failure();
    const Value next = build("moving_average", {read(state), updated, *decay});
    if (!next) return failure();
    ir::AssignOp::create(b_, variable.getLoc(), FlatSymbolRefAttr::get(state.getSymNameAttr()), next);
    return success();
  }

  Value read(ir::VariableOp variable) {
    return ir::ReadOp::create(b_, variable.getLoc(), variable.getType(),
                              FlatSymbolRefAttr::get(variable.getSymNameAttr()));
  }

  // Makes the states of a variable, and appends their names and their values.
  LogicalResult add_states(ir::VariableOp variable, SmallVector<StringAttr>& targets,
                           SmallVector<Value>& operands) {
    if (!optimizer().states) return success();
    auto attributes = ir::attributes_of(b_.getDictionaryAttr(settings_.attributes()));
    auto flat = attributes ? FlatAttrs::pack(optimizer().schema, *std::move(attributes))
                           : Result<FlatAttrs>(attributes.error());
    if (!flat)
      return train_.emitError() << "the optimizer '" << optimizer().name << "': " << flat.error().what;
    const auto states = optimizer().states(flat->data(), *ir::tensor_type(variable.getType()));
    for (auto [i, state] : llvm::enumerate(states)) {
      const StringRef what = optimizer().operands[i + 1].name;
      auto added = add_state(variable, what, state);
      if (failed(added)) return failure();
      operands.push_back(read(*added));
      targets.push_back(added->getSymNameAttr());
    }
    return success();
  }

  // Makes the state `what` of a variable. A state is a separate variable.
  FailureOr<ir::VariableOp> add_state(ir::VariableOp variable, StringRef what, const VariableState& state) {
    auto name = b_.getStringAttr(settings_.state_name(variable.getSymName(), what));
    if (Operation* other = symbols_.lookup(name))
      return other->emitError() << "variable '" << name.getValue() << "' has the name of the " << what
                                << " that the optimizer '" << optimizer().name << "' keeps of variable '"
                                << variable.getSymName() << "'; give it another name";
    OpBuilder before(variable);
    auto variable_of_state = ir::VariableOp::create(
        before, variable.getLoc(), name, TypeAttr::get(ir::mlir_type(b_.getContext(), state.type)),
        FlatSymbolRefAttr::get(variable.getSymNameAttr()), ArrayAttr(), UnitAttr(), DenseI64ArrayAttr(),
        IntegerAttr(), state.first == 0 ? FloatAttr() : b_.getF64FloatAttr(state.first), UnitAttr());
    symbols_.insert(variable_of_state);
    return variable_of_state;
  }

  // Returns the type in which updates of variables and gradients like `v` are computed.
  Type computed_in(Value v) {
    return ir::mlir_type(b_.getContext(), {update_type(ir::tensor_type(v.getType())->dtype), {}})
        .getElementType();
  }
  // Returns the widest of these types, so that scalars that all updates share are exact enough for each.
  Type widest(ArrayRef<Value> gradients) {
    Type type = computed_in(gradients.front());
    for (Value v : gradients)
      if (Type candidate = computed_in(v); candidate.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
        type = candidate;
    return type;
  }

  // Returns the hyper-parameter `name` as a scalar of type `element`.
  FailureOr<Value> fed(PlacedBuilder& build, StringRef name, FloatAttr initial, Type element) {
    auto scalar = hyper_parameter(train_, name, initial, fed_type_);
    if (failed(scalar) || cast<RankedTensorType>(scalar->getType()).getElementType() == element)
      return scalar;
    return build("cast", {*scalar}, {build.attribute("dtype", element)});
  }

  // Returns the op that updates a variable.
  const OpInfo& optimizer() const { return settings_.op(); }

  ModuleOp module_;
  func::FuncOp train_;
  const OptimizerSettings& settings_;
  OpBuilder& b_;
  SymbolTable symbols_;
  // The id of the first update; the ids are consecutive, in the order of the variables.
  const int64_t first_id_;
  Type fed_type_;  // the type of the hyper-parameters of the function
  DenseMap<StringAttr, ir::AssignOp> assigned_;
};

}  // namespace

LogicalResult add_updates(ModuleOp module, func::FuncOp train, const OptimizerSettings& settings,
                          OpBuilder& builder, VariableGradients& variables) {
  return Updates(module, train, settings, builder).run(variables);
}

}  // namespace cutset::passes
