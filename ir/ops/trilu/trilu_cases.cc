// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/trilu/trilu_rules.h"

namespace cutset::rules::trilu {

static Case of(std::string name, TensorType x, bool upper, int64_t diagonal) {
  const bool real = is_float(x.dtype);
  return {
      name,   {{"upper", upper}, {"diagonal", diagonal}}, {{x, real ? normal() : integers(0, 2), real}}, 0, 0,
      "exact"};
}

OpCases cases() {
  return selecting(sharded(
      {{of("upper", {f32, {5, 5}}, true, 0), of("lower", {f32, {2, 4, 6}}, false, 0),
        of("above the diagonal", {f32, {3, 2, 6, 4}}, true, 2),
        of("below the diagonal", {f32, {6, 4}}, false, -3), of("wide lower", {f32, {3, 7}}, false, 2),
        of("all", {f32, {4, 3}}, true, -int64_t{1} << 62), of("nothing", {f32, {4, 3}}, false, INT64_MIN),
        of("one element", {f32, {1, 1}}, true, 0), of("no rows", {f32, {0, 3}}, true, 0),
        of("no columns", {f32, {2, 3, 0}}, false, 0), of("flags", {i1, {4, 4}}, true, 1),
        of("u8", {u8, {4, 4}}, false, 0), of("i64", {i64, {4, 4}}, true, 0)},
       [](PhiloxSequence& r) {
         return of("random",
                   {f32, {1 + int64_t(r.below(3)), 1 + int64_t(r.below(5)), 1 + int64_t(r.below(5))}},
                   r.below(2), static_cast<int64_t>(r.below(7)) - 3);
       }},
      "above the diagonal", "0 > 0; 1 > 1"));
}

}  // namespace cutset::rules::trilu
