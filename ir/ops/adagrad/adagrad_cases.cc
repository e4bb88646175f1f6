// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/adagrad/adagrad_rules.h"

namespace cutset::rules::adagrad {

// The tolerance is 0: every backend rounds as the reference kernel does, so that the copies of a variable on
// devices of different kinds stay bitwise equal.
static Case step(std::string name, Shape s, double steps, double rate_decay, double decay) {
  const Operand o{{f32, s}}, squares{{f32, s}, uniform(0, 2)};
  const auto scalar = [](double v) { return Operand{{f32, {}}, uniform(v, v), false}; };
  return {
      name, {}, {o, squares, scalar(steps), o, scalar(0.1), scalar(rate_decay), scalar(1e-10), scalar(decay)},
      0,    0,  "exact"};
}
OpCases cases() {
  return {{step("later step", {500, 8}, 7, 0, 0), step("decay", {33}, 3, 0.1, 0.01),
           step("scalar", {}, 0, 0.1, 0), step("empty", {0, 2}, 5, 0, 0)},
          [](PhiloxSequence& r) {
            return step("random", {1 + int64_t(r.below(30))}, double(r.below(100)), r.unit(), r.unit());
          }};
}

}  // namespace cutset::rules::adagrad
