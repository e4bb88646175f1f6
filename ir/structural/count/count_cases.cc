// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/count/count_rules.h"

namespace cutset::rules::count {
static Case of(std::string name, Shape x, std::vector<int64_t> axes) {
  return {name, {{"axes", axes}}, {{{f32, x}, {}, false}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded({{of("batch", {61, 10}, {0}), of("all", {3, 4}, {}), of("scalar", {}, {})},
                  [](PhiloxSequence& r) { return of("random", {1 + int64_t(r.below(9)), 3}, {0, 1}); }},
                 "all", "0 > +; 1 > +");
}
}  // namespace cutset::rules::count
