#include "ir/structural/part/part_rules.h"

namespace cutset::ops::part {
static Case of(std::string name, TensorType x, int64_t axis, int64_t start, int64_t rows) {
  return {name, {{"axis", axis}, {"start", start}, {"rows", rows}}, {{x, integers(0, 2), false}}, 0, 0, "exact"};
}
OpCases cases() {
  return {{of("replica", {f32, {61, 3, 5}}, 0, 44, 17), of("inner", {f32, {4, 6, 3}}, 1, 2, 3),
           of("last", {i32, {5, 7}}, 1, 6, 1), of("all", {f32, {3}}, 0, 0, 3), of("flags", {i1, {9}}, 0, 2, 5),
           of("wide", {i64, {4, 2}}, 0, 1, 2), of("none", {f32, {4, 2}}, 0, 4, 0)},
          [](PhiloxSequence& r) {
            const auto all = 1 + int64_t(r.below(9)), start = int64_t(r.below(uint64_t(all)));
            return of("random", {f32, {2, all, 1 + int64_t(r.below(4))}}, 1, start,
                      1 + int64_t(r.below(uint64_t(all - start))));
          }};
}
}  // namespace cutset::ops::part
