// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/sum_to_size/sum_to_size_rules.h"

namespace cutset::rules::sum_to_size {
static Case of(std::string name, Shape x, Shape like) {
  return {name, {}, {{{f32, x}}, {{f32, like}, {}, false}}, 2e-6, 1e-6, "sums in f32"};
}
OpCases cases() {
  return not_exported(
      sharded({{of("bias", {64, 10}, {10}), of("column", {5, 7}, {5, 1}), of("scalar", {3, 4}, {}),
                of("same", {3, 4}, {3, 4}), of("channels", {4, 3, 5, 5}, {3, 1, 1}),
                of("of nothing", {0, 3}, {3}), of("to nothing", {2, 0}, {0})},
               [](PhiloxSequence& r) {
                 int64_t a = 1 + int64_t(r.below(5)), b = 1 + int64_t(r.below(5));
                 return of("random", {a, b},
                           r.below(2) ? Shape{b} : Shape{r.below(2) ? a : 1, r.below(2) ? b : 1});
               }},
              "channels", "0 - > +; 1 0 > 0; 2 - > +; 3 - > +"),
      "only gradients have it");
}
}  // namespace cutset::rules::sum_to_size
