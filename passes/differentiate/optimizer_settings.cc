// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/optimizer_settings.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

FailureOr<OptimizerSettings> OptimizerSettings::of(func::FuncOp function, unsigned loss) {
  OptimizerSettings its;
  its.settings_ = function.getResultAttrOfType<DictionaryAttr>(loss, kMinimize);
  if (!its.settings_) return function.emitError() << "'" << kMinimize << "' is not a dictionary";
  if (function.getName() != "train") its.function_ = (function.getName() + "/").str();
  const auto name = its.settings_.getAs<StringAttr>("op");
  its.op_ = name ? find_op(name.getValue().str()) : nullptr;
  if (!its.op_ || its.op_->updates < 1 || its.op_->operands.size() <= static_cast<size_t>(its.op_->updates))
    return function.emitError() << "the optimizer " << name << " is not an op that updates its operands";
  Builder b(function.getContext());
  for (const AttrField& field : its.op_->schema.fields)
    if (Attribute given = its.settings_.get(field.name))
      its.attributes_.push_back(b.getNamedAttr(field.name, given));
  if (auto variables = its.settings_.getAs<ArrayAttr>("variables")) {
    its.only_.emplace();
    for (auto variable : variables.getAsRange<StringAttr>()) its.only_->insert(variable);
  }
  if (auto groups = its.settings_.getAs<ArrayAttr>("groups"))
    for (auto group : groups.getAsRange<DictionaryAttr>())
      for (auto variable : group.getAs<ArrayAttr>("variables").getAsRange<StringAttr>())
        its.groups_[variable] = group;
  return its;
}

std::optional<OptimizerSettings::HyperParameter> OptimizerSettings::hyper_parameter(StringRef variable,
                                                                                    StringRef operand) const {
  if (const auto group = groups_.lookup(variable))
    if (auto initial = group.getAs<FloatAttr>(operand))
      return HyperParameter{(function_ + group.getAs<StringAttr>("name").getValue() + "/" + operand).str(),
                            initial};
  if (auto initial = settings_.getAs<FloatAttr>(operand))
    return HyperParameter{(function_ + operand).str(), initial};
  return std::nullopt;
}

std::string OptimizerSettings::state_name(StringRef variable, StringRef state) const {
  return (variable + "/" + function_ + state).str();
}

}  // namespace cutset::passes
