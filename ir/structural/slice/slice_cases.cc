// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/slice/slice_rules.h"

namespace cutset::rules::slice {
static Case of(std::string name, TensorType x, int64_t axis, int64_t start, int64_t length) {
  const bool real = is_float(x.dtype);
  return {name,
          {{"axis", axis}, {"start", start}, {"length", length}},
          {{x, real ? normal() : integers(0, 2), real}},
          0,
          0,
          "exact"};
}
OpCases cases() {
  return selecting(
      sharded({{of("replica", {f32, {61, 3, 5}}, 0, 44, 17), of("inner", {f32, {4, 6, 3}}, 1, 2, 3),
                of("last", {i32, {5, 7}}, 1, 6, 1), of("all", {f32, {3}}, 0, 0, 3),
                of("flags", {i1, {9}}, 0, 2, 5), of("wide", {i64, {4, 2}}, 0, 1, 2),
                of("none", {f32, {4, 2}}, 0, 4, 0), of("from the end", {f32, {4, 6}}, -1, 2, -1),
                of("rest of nothing", {f32, {4, 6}}, -2, 4, -1), of("empty", {f32, {0, 6}}, 1, 2, 3)},
               [](PhiloxSequence& r) {
                 const auto all = 1 + int64_t(r.below(9)), start = int64_t(r.below(uint64_t(all)));
                 return of("random", {f32, {2, all, 1 + int64_t(r.below(4))}}, r.below(2) ? 1 : -2, start,
                           r.below(4) ? 1 + int64_t(r.below(uint64_t(all - start))) : -1);
               }},
              "inner", "0 > 0; 2 > 2"));
}
}  // namespace cutset::rules::slice
