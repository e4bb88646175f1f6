// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/optimizer_settings.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

FailureOr<OptimizerSettings> OptimizerSettings::of(func::FuncOp function, unsigned loss) {
  OptimizerSettings settings;
  settings.settings_ = function.getResultAttrOfType<DictionaryAttr>(loss, kMinimize);
  if (!settings.settings_) return function.emitError() << "'" << kMinimize << "' is not a dictionary";
  if (function.getName() != "train") settings.function_ = (function.getName() + "/").str();
  const auto name = settings.settings_.getAs<StringAttr>("op");
  settings.op_ = name ? find_op(name.getValue().str()) : nullptr;
  if (!settings.op_ || settings.op_->updates < 1 ||
      settings.op_->operands.size() <= static_cast<size_t>(settings.op_->updates))
    return function.emitError() << "the optimizer " << name << " is not an op that updates its operands";
  Builder b(function.getContext());
  for (const AttrField& field : settings.op_->schema.fields)
    if (Attribute value = settings.settings_.get(field.name))
      settings.attributes_.push_back(b.getNamedAttr(field.name, value));
  if (auto variables = settings.settings_.getAs<ArrayAttr>("variables")) {
    settings.only_.emplace();
    for (auto variable : variables.getAsRange<StringAttr>()) settings.only_->insert(variable);
  }
  if (auto groups = settings.settings_.getAs<ArrayAttr>("groups"))
    for (auto group : groups.getAsRange<DictionaryAttr>())
      for (auto variable : group.getAs<ArrayAttr>("variables").getAsRange<StringAttr>())
        settings.groups_[variable] = group;
  return settings;
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
