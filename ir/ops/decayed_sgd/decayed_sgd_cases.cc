// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/decayed_sgd/decayed_sgd_rules.h"

namespace cutset::rules::decayed_sgd {

// The tolerance is 0: every backend rounds as the reference kernel does, so that the copies of a variable on
// devices of different kinds stay bitwise equal.
static Case step(std::string name, Shape s, bool started, double momentum, double dampening, double decay,
                 bool nesterov) {
  const Operand o{{f32, s}};
  const auto scalar = [](double v) { return Operand{{f32, {}}, uniform(v, v), false}; };
  return {name,
          {{"nesterov", nesterov}},
          {o, o, scalar(started), o, scalar(0.1), scalar(momentum), scalar(dampening), scalar(decay)},
          0,
          0,
          "exact"};
}
OpCases cases() {
  return {{step("later step", {500, 8}, true, 0.9, 0.1, 0.01, false),
           step("first step", {33}, false, 0.9, 0.5, 0.1, false),
           step("nesterov", {33, 3}, true, 0.9, 0, 0.1, true),
           step("first step of nesterov", {9}, false, 0.9, 0, 0.1, true),
           step("scalar", {}, true, 0.5, 0.5, 0.5, false), step("empty", {2, 0}, false, 0.5, 0, 0, true)},
          [](PhiloxSequence& r) {
            return step("random", {1 + int64_t(r.below(30))}, r.below(2) == 1, r.unit(), r.unit(), r.unit(),
                        r.below(2) == 1);
          }};
}

}  // namespace cutset::rules::decayed_sgd
