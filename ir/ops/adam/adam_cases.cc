// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/adam/adam_rules.h"

namespace cutset::rules::adam {

// The tolerance is 0: every backend rounds as the reference kernel does, so that the copies of a variable on
// devices of different kinds stay bitwise equal.
static Case step(std::string name, Shape s, double beta1, double beta2, double decay, bool decoupled,
                 double weight) {
  const Operand o{{f32, s}}, squares{{f32, s}, uniform(0, 2)};
  const auto scalar = [](double v) { return Operand{{f32, {}}, uniform(v, v), false}; };
  return {name,
          {{"decoupled", decoupled}},
          {o, o, squares, scalar(weight), scalar(weight / 10), o, scalar(0.01), scalar(beta1), scalar(beta2),
           scalar(1e-8), scalar(decay)},
          0,
          0,
          "exact"};
}
OpCases cases() {
  return {{step("later step", {500, 8}, 0.9, 0.999, 0, false, 0.4),
           step("decay", {33}, 0.9, 0.999, 0.1, false, 0.9),
           step("decoupled decay", {33, 2}, 0.9, 0.99, 0.1, true, 0.7),
           step("first step", {2, 3}, 0.9, 0.999, 0, false, 0), step("without means", {7}, 0, 0, 0, false, 0),
           step("scalar", {}, 0.5, 0.5, 0.5, true, 0.5), step("empty", {0, 3}, 0.9, 0.999, 0, false, 0.4)},
          [](PhiloxSequence& r) {
            return step("random", {1 + int64_t(r.below(30))}, r.unit(), r.unit(), r.unit(), r.below(2) == 1,
                        r.unit());
          }};
}

}  // namespace cutset::rules::adam
