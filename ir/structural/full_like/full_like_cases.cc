// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/full_like/full_like_rules.h"

namespace cutset::rules::full_like {
static Case of(std::string name, TensorType like, double value) {
  return {name, {{"value", value}}, {{like, {}, false}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded(
      {{of("zeros", {f32, {3, 5}}, 0), of("half", {f32, {}}, 0.5), of("i64", {i64, {4}}, -3),
        of("i64 that f32 does not hold", {i64, {3}}, 16777217), of("towards zero", {i32, {3}}, -2.7),
        of("i32 out of range", {i32, {2}}, 1e12), of("half of a flag", {i1, {5}}, 0.5),
        of("byte", {u8, {3}}, 255), of("i8", {i8, {3}}, -1.5), of("i8 out of range", {i8, {3}}, 300),
        of("i16", {i16, {3}}, -1.5), of("i16 out of range", {i16, {3}}, 1e9), of("u16", {u16, {2}}, 65535),
        of("u32", {u32, {2}}, 4294967295.), of("u64 out of range", {u64, {2}}, 1e30),
        of("u64 below 0", {u64, {2}}, -1), of("empty", {f32, {0, 2}}, 1)},
       [](PhiloxSequence& r) { return of("random", {f32, {1 + int64_t(r.below(9))}}, r.unit()); }},
      "zeros", "0 > 0; 1 > 1");
}
}  // namespace cutset::rules::full_like
