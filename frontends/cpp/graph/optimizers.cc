// SPDX-License-Identifier: Apache-2.0
#include <cutset/optimizers.h>

#include <cmath>
#include <limits>

#include "frontends/cpp/graph/named_optimizers.h"
#include "runtime/program/value_range.h"

namespace cutset {

// Each conversion gives the name of the op, the ranges of the hyper-parameters, and the attributes of the op.

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

// Returns the hyper-parameters of Adam, AdamW and Lamb.
static std::vector<Optimizer::Scalar> moments(const auto& a) {
  return {{"learning_rate", a.learning_rate},
          {"beta1", a.beta1, 0, 1},
          {"beta2", a.beta2, 0, 1},
          {"epsilon", a.epsilon},
          {"weight_decay", a.weight_decay}};
}
Adam::operator Optimizer() const { return {"adam", moments(*this), {{"decoupled", false}}}; }
AdamW::operator Optimizer() const { return {"adam", moments(*this), {{"decoupled", true}}}; }
Lamb::operator Optimizer() const { return {"lamb", moments(*this)}; }

Adagrad::operator Optimizer() const {
  return {"adagrad",
          {{"learning_rate", learning_rate},
           {"learning_rate_decay", learning_rate_decay},
           {"epsilon", epsilon},
           {"weight_decay", weight_decay}},
          {{"first_sum", first_sum}},
          first_sum >= 0 && std::isfinite(first_sum) ? "" : "first_sum must be finite and at least 0"};
}

RmsProp::operator Optimizer() const {
  return {centered ? "centered_rmsprop" : "rmsprop",
          {{"learning_rate", learning_rate},
           {"alpha", alpha, 0, 1},
           {"epsilon", epsilon},
           {"weight_decay", weight_decay},
           {"momentum", momentum}}};
}

// The names on the command line.
static const RegisterOptimizer registered_adagrad("adagrad", Adagrad{}), registered_adam("adam", Adam{}),
    registered_adamw("adamw", AdamW{}), registered_lamb("lamb", Lamb{}),
    registered_rmsprop("rmsprop", RmsProp{}), registered_sgd("sgd", Sgd{});

}  // namespace cutset
