// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/expand/expand_rules.h"

namespace cutset::rules::expand {
static Case of(std::string name, Shape x, Shape like, std::vector<int64_t> axes) {
  return {name, {{"axes", axes}}, {{{f32, x}}, {{f32, like}, {}, false}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded({{of("scalar", {}, {64}, {0}), of("middle", {2, 4}, {2, 3, 4}, {1}),
                   of("kept dims", {2, 1, 4}, {2, 3, 4}, {}), of("outer", {3}, {2, 3}, {}),
                   of("channels", {3}, {2, 3, 4, 4}, {0, 2, 3}), of("to nothing", {3}, {0, 3}, {0})},
                  [](PhiloxSequence& r) {
                    int64_t a = 1 + int64_t(r.below(5)), b = 1 + int64_t(r.below(5));
                    return r.below(2) ? of("random", {a}, {a, b}, {1}) : of("random", {a, 1}, {a, b}, {});
                  }},
                 "channels", "- 3 > 3; - 2 > 2; 0 1 > 1; - 0 > 0");
}
}  // namespace cutset::rules::expand
