// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/moving_average/moving_average_rules.h"

namespace cutset::rules::moving_average {

// The tolerance is 0: every backend rounds as the reference kernel does, so that the copies of an average on
// devices of different kinds stay bitwise equal.
static Case of(std::string name, Shape s, double decay) {
  const Operand o{{f32, s}};
  return {std::move(name), {}, {o, o, {{f32, {}}, uniform(decay, decay), false}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded({{of("matrix", {500, 8}, 0.999), of("vector", {33}, 0.5), of("scalar", {}, 0.9),
                   of("empty", {2, 0}, 0.9), of("no memory", {5}, 0)},
                  [](PhiloxSequence& r) {
                    return of("random", {1 + int64_t(r.below(9)), 1 + int64_t(r.below(30))}, r.unit());
                  }},
                 "matrix", "0 0 - > 0; 1 1 - > 1");
}

}  // namespace cutset::rules::moving_average
