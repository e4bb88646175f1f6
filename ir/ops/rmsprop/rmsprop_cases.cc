// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/rmsprop/rmsprop_rules.h"

namespace cutset::rules {
namespace {

// The tolerance is 0: every backend rounds as the reference kernel does, so that the copies of a variable on
// devices of different kinds stay bitwise equal.
Case step(std::string name, Shape s, bool centered, double alpha, double decay, double momentum) {
  const Operand o{{f32, s}}, squares{{f32, s}, uniform(1, 2)}, mean{{f32, s}, uniform(-1, 1)};
  const auto scalar = [](double v) { return Operand{{f32, {}}, uniform(v, v), false}; };
  Case c{name, {}, {o, squares, o}, 0, 0, "exact"};
  if (centered) c.operands.push_back(mean);
  for (const Operand& operand :
       {o, scalar(0.01), scalar(alpha), scalar(1e-8), scalar(decay), scalar(momentum)})
    c.operands.push_back(operand);
  return c;
}
template <bool kCentered>
OpCases cases_of() {
  return {{step("with momentum", {500, 8}, kCentered, 0.99, 0, 0.9),
           step("decay", {33}, kCentered, 0.9, 0.1, 0), step("scalar", {}, kCentered, 0.5, 0, 0.5),
           step("no mean", {5}, kCentered, 0, 0, 0), step("empty", {0, 2}, kCentered, 0.9, 0, 0)},
          [](PhiloxSequence& r) {
            return step("random", {1 + int64_t(r.below(30))}, kCentered, r.unit(), r.unit(), r.unit());
          }};
}

}  // namespace

OpCases rmsprop::cases() { return cases_of<false>(); }
OpCases centered_rmsprop::cases() { return cases_of<true>(); }

}  // namespace cutset::rules
