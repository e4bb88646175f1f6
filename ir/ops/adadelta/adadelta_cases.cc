// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/adadelta/adadelta_rules.h"

namespace cutset::rules::adadelta {

// The tolerance is 0: every backend rounds as the reference kernel does, so that the copies of a variable on
// devices of different kinds stay bitwise equal.
static Case step(std::string name, Shape s, double rho, double decay) {
  const Operand o{{f32, s}}, squares{{f32, s}, uniform(0, 2)};
  const auto scalar = [](double v) { return Operand{{f32, {}}, uniform(v, v), false}; };
  return {name, {}, {o, squares, squares, o, scalar(0.5), scalar(rho), scalar(1e-6), scalar(decay)},
          0,    0,  "exact"};
}
OpCases cases() {
  return {{step("later step", {500, 8}, 0.9, 0), step("decay", {33}, 0.5, 0.1), step("scalar", {}, 0.9, 0),
           step("no mean", {5}, 0, 0), step("empty", {0, 2}, 0.9, 0)},
          [](PhiloxSequence& r) { return step("random", {1 + int64_t(r.below(30))}, r.unit(), r.unit()); }};
}

}  // namespace cutset::rules::adadelta
