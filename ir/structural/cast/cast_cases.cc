// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/cast/cast_rules.h"

namespace cutset::rules::cast {
static Case of(std::string name, TensorType x, DType to, Fill fill) {
  return {name, {{"dtype", to}}, {{x, fill, is_float(x.dtype) && is_float(to)}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded(
      {{of("mask", {i1, {4, 5}}, f32, integers(0, 2)), of("labels", {i32, {64}}, i64, integers(0, 10)),
        of("to f32", {i64, {7}}, f32, integers(-9, 9)), of("towards zero", {f32, {30}}, i32, uniform(-5, 5)),
        of("to mask", {f32, {9}}, i1, integers(0, 2)), of("bytes", {u8, {2, 8}}, f32, integers(0, 256)),
        of("same", {f32, {3}}, f32, normal()), of("empty", {f32, {0, 2}}, i32, normal()),
        of("to i16 and beyond", {f32, {40}}, i16, uniform(-40000, 40000)),
        of("to u16 and beyond", {f32, {40}}, u16, uniform(-9000, 80000)),
        of("to u32 and beyond", {f32, {40}}, u32, uniform(-1e9, 6e9)),
        of("to u64 and beyond", {f32, {40}}, u64, uniform(-1e19, 3e19)),
        of("u64 to f32", {u64, {9}}, f32, integers(0, 1000)),
        of("u32 above 2^31", {u32, {9}}, f32, {Fill::Kind::kIntegers, 2147483648., 4294967295.}),
        of("to i8 and beyond", {f32, {40}}, i8, uniform(-200, 200)),
        of("i8 to f32", {i8, {9}}, f32, integers(-128, 127)),
        of("i16 to u16", {i16, {9}}, u16, integers(-9, 9)),
        of("narrowed", {u32, {9}}, i16, {Fill::Kind::kIntegers, 0, 100000})},
       [](PhiloxSequence& r) { return of("random", {f32, {1 + int64_t(r.below(9))}}, f32, normal()); }},
      "mask", "0 > 0; 1 > 1");
}
}  // namespace cutset::rules::cast
