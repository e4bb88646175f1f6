// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/minimize.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "frontends/cpp/graph/freeze.h"
#include "frontends/cpp/graph/graph_state.h"
#include "ir/core/names.h"

namespace cutset {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& hint, std::source_location source) {
  raise({ErrorCode::kInvalidArgument, what, Error::line_of(source), hint});
}

// Returns the optimizer with an operand for each hyper-parameter that a group sets.
const Optimizer& with_operands_for(const Optimizer& optimizer, const std::vector<ParameterGroup>& groups) {
  const bool decays =
      std::ranges::any_of(groups, [](const ParameterGroup& g) { return g.weight_decay.has_value(); });
  return decays && optimizer.general() ? *optimizer.general() : optimizer;
}

// Adds the hyper-parameters of one function, each with its name in the session.
class HyperParameters {
 public:
  HyperParameters(const GraphState& state, Minimized& into, std::source_location source)
      : state_(state), into_(into), source_(source) {}

  // Adds a hyper-parameter to `attributes`. `group` is the name of its group; empty: it is not in a group.
  void add(const Optimizer::Scalar& scalar, const std::string& group, Attributes& attributes) {
    const std::string& function = into_.minimization.function;
    const std::string name =
        (function == "train" ? "" : function + "/") + (group.empty() ? "" : group + "/") + scalar.name;
    Optimizer::Scalar named = scalar;
    named.name = name;
    const ValueRange range = checked_range(named, source_);
    if (state_.scalars.contains(name) || !into_.ranges.emplace(name, range).second)
      refuse("there is a hyper-parameter '" + name + "' already", "give the group another name", source_);
    attributes.emplace_back(scalar.name, scalar.value);
    if (function == "train" && !group.empty() && scalar.name == "learning_rate")
      into_.group_rates[name] = scalar.value;
  }

 private:
  const GraphState& state_;
  Minimized& into_;
  std::source_location source_;
};

// Adds a group of variables that the optimizer trains. `taken` has the variables of the groups before it.
void add_group(const std::vector<std::string>& trained, const Optimizer& optimizer,
               const ParameterGroup& group, HyperParameters& hyper_parameters, Minimization& m,
               std::set<std::string>& taken, std::source_location source) {
  const std::string name = group.name.empty() ? "group" + std::to_string(m.groups.size() + 1) : group.name;
  check(check_name(name, "a parameter group"), source);
  const std::string what = "the parameter group '" + name + "'";
  if (!group.learning_rate && !group.weight_decay)
    refuse(what + " changes no hyper-parameter", "set its learning_rate or its weight_decay", source);
  if (group.variables.empty()) refuse(what + " has no variables", "name them, as for Graph::freeze", source);
  VariableGroup& new_group = m.groups.emplace_back();
  new_group.name = name;
  new_group.variables = variables_named(trained, group.variables, source);
  for (const std::string& variable : new_group.variables)
    if (!taken.insert(variable).second)
      refuse("the variable '" + variable + "' is in " + what + " and in one before it",
             "name it in one group", source);
  for (const auto& [operand, value] :
       {std::pair("learning_rate", group.learning_rate), std::pair("weight_decay", group.weight_decay)}) {
    if (!value) continue;
    const auto scalar = std::ranges::find(optimizer.scalars(), operand, &Optimizer::Scalar::name);
    if (scalar == optimizer.scalars().end())
      refuse("the optimizer has no " + std::string(operand) + ", which " + what + " sets", "", source);
    Optimizer::Scalar of_group = *scalar;
    of_group.value = *value;
    hyper_parameters.add(of_group, name, new_group.hyper_parameters);
  }
}

}  // namespace

ValueRange checked_range(const Optimizer::Scalar& s, std::source_location source) {
  if (!std::isfinite(static_cast<float>(s.value)))
    refuse("hyper-parameter '" + s.name + "' is " + std::to_string(s.value) + ", which is not a finite f32",
           "", source);
  const ValueRange range{s.least, s.below};
  check(check_hyper_parameter(s.name, s.value, range), source);
  return range;
}

Minimized minimized(GraphState& state, int loss, const Optimizer& chosen, const MinimizeOptions& options,
                    std::source_location source) {
  check(check_name(options.function, "a function"), source);
  const Optimizer& optimizer = with_operands_for(chosen, options.groups);
  if (!optimizer.refused().empty()) refuse(optimizer.refused(), "", source);
  Minimized result;
  Minimization& m = result.minimization;
  m.function = options.function;
  m.loss = loss;
  m.optimizer = optimizer.op();
  HyperParameters hyper_parameters(state, result, source);
  for (const Optimizer::Scalar& scalar : optimizer.scalars()) hyper_parameters.add(scalar, "", m.attributes);
  for (const auto& [name, value] : optimizer.options())
    std::visit([&](auto v) { m.attributes.emplace_back(name, v); }, value);
  std::vector<std::string> trained = state.builder->trainable();
  if (!options.variables.empty()) {
    trained = variables_named(std::move(trained), options.variables, source);
    m.variables = trained;
  }
  std::set<std::string> taken;
  for (const ParameterGroup& group : options.groups)
    add_group(trained, optimizer, group, hyper_parameters, m, taken, source);
  return result;
}

}  // namespace cutset
