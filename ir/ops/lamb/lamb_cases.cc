// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/lamb/lamb_rules.h"

namespace cutset::rules::lamb {

// The tolerance is 0: every backend rounds as the reference kernel does, so that the copies of a variable on
// devices of different kinds stay bitwise equal.
static Case step(std::string name, Shape s, double beta1, double beta2, double decay, double weight,
                 double size = 1) {
  const Operand o{{f32, s}}, squares{{f32, s}, uniform(0, 2)}, variable{{f32, s}, uniform(-size, size)};
  const auto scalar = [](double v) { return Operand{{f32, {}}, uniform(v, v), false}; };
  return {name,
          {},
          {variable, o, squares, scalar(weight), scalar(weight / 10), o, scalar(0.01), scalar(beta1),
           scalar(beta2), scalar(1e-6), scalar(decay)},
          0,
          0,
          "exact"};
}
OpCases cases() {
  // The lengths run over the whole variable, so no factor divides it.
  return sharded({{step("later step", {500, 8}, 0.9, 0.999, 0.01, 0.4),
                   step("several elements per lane", {131, 263}, 0.9, 0.99, 0, 0.5),
                   step("first step", {33}, 0.9, 0.999, 0.1, 0), step("zeros", {12}, 0.9, 0.999, 0.1, 0.4, 0),
                   step("scalar", {}, 0.5, 0.5, 0.5, 0.5), step("empty", {0, 3}, 0.9, 0.999, 0, 0.4)},
                  [](PhiloxSequence& r) {
                    return step("random", {1 + int64_t(r.below(30))}, r.unit(), r.unit(), r.unit(), r.unit());
                  }},
                 "later step", "");
}

}  // namespace cutset::rules::lamb
