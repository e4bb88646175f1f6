// SPDX-License-Identifier: Apache-2.0
// The optimizers by their names on the command line, and their hyper-parameters by name.
#pragma once
#include <cutset/optimizers.h>

#include <map>
#include <string>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

struct NamedOptimizer {
  std::string name;
  Optimizer initial;  // an object with the default values of the optimizer
};
// Returns all optimizers, sorted by name. The list is complete when main() begins, and it does not change.
const std::vector<NamedOptimizer>& named_optimizers();

// Returns the hyper-parameters of an optimizer with their defaults and ranges. The list includes
// hyper-parameters that the session has only if their values are not the defaults.
const std::vector<Optimizer::Scalar>& hyper_parameters_of(const Optimizer& optimizer);

// Returns the optimizer with other initial values of hyper-parameters. Fails if it lacks one of them; the
// error names it.
Result<Optimizer> with_hyper_parameters(const Optimizer& optimizer,
                                        const std::map<std::string, double>& values);

// Adds an optimizer to the list. The build writes one static object of this type per optimizer.
class RegisterOptimizer {
 public:
  RegisterOptimizer(std::string name, Optimizer initial);
};

}  // namespace cutset
