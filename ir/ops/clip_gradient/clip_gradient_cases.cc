// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/clip_gradient/clip_gradient_rules.h"

namespace cutset::rules {

// The tolerance is 0, because one operation has one correctly rounded result.
static Case of(std::string name, Shape s, double scalar) {
  return {std::move(name), {}, {{{f32, s}}, {{f32, {}}, uniform(scalar, scalar), false}}, 0, 0, "exact"};
}
static OpCases both() {
  return {{of("matrix", {40, 5}, 0.5), of("vector", {33}, 0.1), of("scalar", {}, 2), of("empty", {2, 0}, 1)},
          [](PhiloxSequence& r) {
            return of("random", {1 + int64_t(r.below(9)), 1 + int64_t(r.below(30))}, r.unit());
          }};
}
OpCases clip_gradient::cases() { return sharded(both(), "matrix", "0 - > 0; 1 - > 1"); }
OpCases scale_gradient::cases() { return sharded(both(), "matrix", "0 - > 0; 1 - > 1"); }

}  // namespace cutset::rules
