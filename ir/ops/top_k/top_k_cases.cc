// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/top_k/top_k_rules.h"

namespace cutset::rules::top_k {

static Case of(std::string name, TensorType x, int64_t axis, int64_t k, bool largest = true,
               Fill fill = distinct()) {
  return {name,
          {{"axis", axis}, {"k", k}, {"largest", largest}},
          {{x, fill, is_float(x.dtype) && fill.kind == Fill::Kind::kDistinct}},
          0,
          0,
          "exact"};
}

OpCases cases() {
  OpCases list{{of("classes", {f32, {8, 20}}, -1, 5), of("smallest", {f32, {8, 20}}, 1, 5, false),
                of("inner", {f32, {2, 9, 3}}, 1, 4), of("rows", {f32, {7, 2}}, 0, 3, false),
                of("sorted", {f32, {5, 33}}, 1, 33), of("sorted ascending", {f32, {40, 3}}, 0, 40, false),
                of("ties", {f32, {9, 15}}, 1, 6, true, integers(0, 3)),
                of("sorted ties", {f32, {9, 15}}, 1, 15, false, integers(0, 3)),
                of("all alike", {f32, {3, 8}}, 1, 8, true, integers(0, 1)), of("first", {f32, {6, 7}}, 1, 1),
                of("one element per line", {f32, {4, 1}}, 1, 1, false), of("none", {f32, {4, 3}}, 1, 0),
                of("no lines", {f32, {0, 3}}, 1, 2), of("of nothing", {f32, {2, 0}}, 1, 0),
                of("flags", {i1, {4, 9}}, 1, 5, true, integers(0, 2))},
               [](PhiloxSequence& r) {
                 Shape x(1 + r.below(3));
                 for (int64_t& d : x) d = 1 + static_cast<int64_t>(r.below(6));
                 const size_t axis = r.below(x.size());
                 return of("random", {f32, x}, static_cast<int64_t>(axis),
                           1 + static_cast<int64_t>(r.below(static_cast<uint64_t>(x[axis]))), r.below(2));
               }};
  for (const DType type : {i8, i16, i32, i64, u8, u16, u32, u64}) {
    const bool is_signed = !is_unsigned(type);
    list.fixed.push_back(
        of(name_of(type), {type, {4, 12}}, 1, 5, type != i32, integers(is_signed ? -9 : 0, 10)));
  }
  return selecting(sharded(list, "inner", "0 > 0 0; 2 > 2 2"));
}

}  // namespace cutset::rules::top_k
