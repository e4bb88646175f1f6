// SPDX-License-Identifier: Apache-2.0
#include <cutset/optimizers.h>

#include <limits>

#include "runtime/program/value_range.h"

namespace cutset {

// The build writes the conversions of the other optimizers. The values of an Sgd decide which of two ops it
// needs, and the ranges of its hyper-parameters.
Sgd::operator Optimizer() const {
  const double infinite = std::numeric_limits<double>::infinity();
  const Optimizer general("decayed_sgd",
                          {{"learning_rate", learning_rate},
                           {"momentum", momentum, nesterov ? kAboveZero : 0},
                           {"dampening", dampening, 0, nesterov ? kAboveZero : infinite},
                           {"weight_decay", weight_decay}},
                          {{"nesterov", nesterov}},
                          nesterov && !(momentum > 0 && dampening == 0)
                              ? "nesterov needs a momentum above 0 and no dampening"
                              : "");
  if (dampening != 0 || weight_decay != 0 || nesterov) return general;
  Optimizer plain("sgd", {{"learning_rate", learning_rate}, {"momentum", momentum}});
  plain.set_general(general);
  return plain;
}

}  // namespace cutset
