#include "ir/ops/pad/pad_rules.h"

namespace cutset::rules::pad {
static Case of(std::string name, TensorType x, int64_t axis, int64_t before, int64_t after) {
  const bool real = is_float(x.dtype);
  return {name,
          {{"axis", axis}, {"before", before}, {"after", after}},
          {{x, real ? normal() : integers(1, 2), real}},
          0,
          0,
          "exact"};
}
OpCases cases() {
  return {
      {of("rows", {f32, {4, 3}}, 0, 2, 1), of("inner", {f32, {2, 3, 4}}, 1, 1, 3), of("last", {f32, {2, 3}}, -1, 0, 2),
       of("nothing", {f32, {5}}, 0, 0, 0), of("flags", {i1, {3}}, 0, 1, 2), of("wide", {i64, {2, 2}}, 1, 3, 0),
       of("empty", {f32, {2, 0}}, 1, 2, 1), of("still empty", {f32, {0, 3}}, 1, 1, 1)},
      [](PhiloxSequence& r) {
        return of("random", {f32, {2, 1 + int64_t(r.below(4)), 1 + int64_t(r.below(4))}}, int64_t(r.below(6)) - 3,
                  int64_t(r.below(4)), int64_t(r.below(4)));
      }};
}
}  // namespace cutset::rules::pad
