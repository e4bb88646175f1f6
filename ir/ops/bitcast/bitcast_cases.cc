// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/bitcast/bitcast_rules.h"

namespace cutset::rules::bitcast {

// f32 is not among the types, because tests replace it by types of other sizes
// (runtime/kernels/half_cases.h). Integers that become floating-point numbers have the bits of normal
// numbers.
static Case of(std::string name, TensorType x, DType to, Fill fill) {
  return {name, {{"dtype", to}}, {{x, fill, false}}, 0, 0, "exact"};
}

OpCases cases() {
  return not_exported(
      sharded(
          {{of("f16 to i16", {f16, {4, 5}}, i16, normal()),
            of("bf16 to u16", {bf16, {7}}, u16, uniform(-1e9, 1e9)),
            of("i16 to f16", {i16, {2, 3, 4}}, f16, {Fill::Kind::kIntegers, 0x3800, 0x4400}),
            of("f64 to i64", {f64, {5}}, i64, normal()), of("i64 to u64", {i64, {9}}, u64, integers(-9, 9)),
            of("u32 to i32", {u32, {9}}, i32, integers(0, 65536)),
            of("i8 to u8", {i8, {9}}, u8, integers(-128, 127)), of("flags", {i1, {5, 3}}, u8, integers(0, 2)),
            of("flags that stay", {i1, {4}}, i1, integers(0, 2)),
            of("scalar", {i32, {}}, u32, integers(0, 9)), of("empty", {f16, {0, 2}}, i16, normal()),
            of("one element", {u8, {1, 1}}, i8, integers(0, 256))},
           [](PhiloxSequence& r) {
             return of("random", {u32, {1 + int64_t(r.below(9)), 3}}, i32, integers(0, 99));
           }},
          "f16 to i16", "0 > 0; 1 > 1"),
      "ONNX has BitCast from operator set 26 on");
}

}  // namespace cutset::rules::bitcast
