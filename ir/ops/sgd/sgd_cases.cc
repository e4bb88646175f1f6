// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/sgd/sgd_rules.h"

namespace cutset::rules::sgd {

// The tolerance is 0: every backend rounds as the reference kernel does, so that the copies of a variable on
// devices of different kinds stay bitwise equal.
static Case step(std::string name, Shape s, double rate, double momentum) {
  const Operand o{{f32, s}};
  const auto scalar = [](double v) { return Operand{{f32, {}}, uniform(v, v), false}; };
  return {name, {}, {o, o, o, scalar(rate), scalar(momentum)}, 0, 0, "exact"};
}
OpCases cases() {
  return {
      {step("with momentum", {500, 8}, 0.01, 0.9), step("plain", {33}, 0.1, 0), step("scalar", {}, 0.5, 0.5)},
      [](PhiloxSequence& r) { return step("random", {1 + int64_t(r.below(30))}, r.unit(), r.unit()); }};
}

}  // namespace cutset::rules::sgd
