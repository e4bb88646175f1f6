// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/structural/all_finite/all_finite_rules.h"

namespace cutset::rules::all_finite {
static Operand of(Shape s, Fill fill = normal()) { return {{f32, std::move(s)}, fill, false}; }
static Case named(std::string name, std::vector<Operand> values) {
  return {std::move(name), {}, std::move(values), 0, 0, "exact: true or false"};
}
OpCases cases() {
  const Fill nan = uniform(std::nan(""), 1), infinite = uniform(1e300, 1e300);  // 1e300 is infinite in f32
  return sharded(
      {{named("one", {of({5000})}), named("two", {of({4, 5}), of({33})}), named("a NaN", {of({7}, nan)}),
        named("an infinite scalar at the end", {of({4, 5}), of({3}), of({}, infinite)}),
        named("empty", {of({0, 3})}), named("large but finite", {of({9}, uniform(-3e38, 3e38))})},
       [](PhiloxSequence& r) {
         std::vector<Operand> values;
         for (uint64_t n = 1 + r.below(5); n > 0; --n)
           values.push_back(of({int64_t(r.below(3000))}, r.below(4) ? normal() : uniform(-1e300, 1e300)));
         return named("random", std::move(values));
       }},
      "two", "");
}
}  // namespace cutset::rules::all_finite
