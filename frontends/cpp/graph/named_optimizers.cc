// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/named_optimizers.h"

#include <algorithm>

#include "ir/core/registry.h"

namespace cutset {
namespace {

const Optimizer::Scalar* find_scalar(const std::vector<Optimizer::Scalar>& scalars, const std::string& name) {
  const auto found = std::ranges::find(scalars, name, &Optimizer::Scalar::name);
  return found == scalars.end() ? nullptr : &*found;
}

// Returns the optimizer with other initial values of the hyper-parameters that it has.
Optimizer with_values(const Optimizer& optimizer, const std::map<std::string, double>& values) {
  std::vector<Optimizer::Scalar> scalars = optimizer.scalars();
  for (Optimizer::Scalar& s : scalars)
    if (const auto value = values.find(s.name); value != values.end()) s.value = value->second;
  Optimizer changed(optimizer.op(), std::move(scalars), optimizer.options(), optimizer.refused());
  if (optimizer.general()) changed.set_general(with_values(*optimizer.general(), values));
  return changed;
}

}  // namespace

RegisterOptimizer::RegisterOptimizer(std::string name, Optimizer initial) {
  Registry<NamedOptimizer>::add({std::move(name), std::move(initial)});
}

const std::vector<NamedOptimizer>& named_optimizers() { return Registry<NamedOptimizer>::all(); }

const std::vector<Optimizer::Scalar>& hyper_parameters_of(const Optimizer& optimizer) {
  return optimizer.general() ? optimizer.general()->scalars() : optimizer.scalars();
}

Result<Optimizer> with_hyper_parameters(const Optimizer& optimizer,
                                        const std::map<std::string, double>& values) {
  bool needs_general = false;  // whether a value needs a hyper-parameter that only the general form has
  for (const auto& [name, value] : values) {
    const Optimizer::Scalar* const scalar = find_scalar(hyper_parameters_of(optimizer), name);
    if (!scalar) return invalid_argument("the optimizer has no hyper-parameter '" + name + "'");
    needs_general = needs_general || (!find_scalar(optimizer.scalars(), name) && value != scalar->value);
  }
  return with_values(needs_general ? *optimizer.general() : optimizer, values);
}

}  // namespace cutset
