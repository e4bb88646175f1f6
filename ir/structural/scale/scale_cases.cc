// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/scale/scale_rules.h"

namespace cutset::rules::scale {
static Case of(std::string name, Shape s, double factor) {
  return {name, {{"factor", factor}}, {{{f32, s}}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded(
      {{of("half", {4, 5}, 0.5), of("third", {7}, 1.0 / 3), of("scalar", {}, -2), of("empty", {0}, 2)},
       [](PhiloxSequence& r) { return of("random", {1 + int64_t(r.below(9))}, r.unit()); }},
      "half", "0 > 0; 1 > 1");
}
}  // namespace cutset::rules::scale
