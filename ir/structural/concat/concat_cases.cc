// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/concat/concat_rules.h"

namespace cutset::rules::concat {
static Case of(std::string name, TensorType part, int64_t axis, std::vector<int64_t> rows) {
  Case c{name, {{"axis", axis}}, {}, 0, 0, "exact"};
  const bool real = is_float(part.dtype);
  for (int64_t n : rows) {
    part.shape[static_cast<size_t>(axis < 0 ? axis + part.rank() : axis)] = n;
    c.operands.push_back({part, real ? normal() : integers(0, 2), real});
  }
  return c;
}
OpCases cases() {
  return sharded(
      {{of("replicas", {f32, {0, 3, 5}}, 0, {44, 17}), of("inner", {f32, {4, 0, 3}}, 1, {2, 1, 3}),
        of("one", {i32, {0, 7}}, 0, {3}), of("flags", {i1, {0}}, 0, {2, 5}),
        of("wide", {i64, {4, 0}}, 1, {1, 2}), of("from the end", {f32, {3, 0}}, -1, {2, 3}),
        of("some empty", {f32, {2, 0}}, 1, {0, 3, 0, 1, 0}), of("all empty", {f32, {0, 2}}, 0, {0, 0}),
        of("seventy", {f32, {2, 0}}, 1, std::vector<int64_t>(70, 1))},
       [](PhiloxSequence& r) {
         std::vector<int64_t> rows(1 + r.below(4));
         for (int64_t& n : rows) n = 1 + int64_t(r.below(5));
         return of("random", {f32, {2, 0, 1 + int64_t(r.below(4))}}, r.below(2) ? 1 : -2, rows);
       }},
      "inner", "0 0 0 > 0; 2 2 2 > 2");
}
}  // namespace cutset::rules::concat
