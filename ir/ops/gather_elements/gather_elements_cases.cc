// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/gather_elements/gather_elements_rules.h"

namespace cutset::rules::gather_elements {

// The indices are in range. If `beyond` is set, some are out of range.
static Case of(std::string name, TensorType data, TensorType indices, int64_t axis, bool beyond = false) {
  const int64_t n = data.shape[static_cast<size_t>(axis < 0 ? axis + data.rank() : axis)],
                more = beyond ? n + 2 : n;
  const bool real = is_float(data.dtype);
  return {name,
          {{"axis", axis}},
          {{data, real ? normal() : integers(0, data.dtype == i1 ? 2 : 100), real && !beyond},
           {indices, integers(-more, std::max<int64_t>(more, 1)), false}},
          0,
          0,
          "exact"};
}

OpCases cases() {
  OpCases list{
      {of("columns", {f32, {6, 9}}, {i64, {6, 4}}, 1), of("rows", {f32, {5, 3}}, {i32, {8, 3}}, 0),
       of("inner", {f32, {2, 4, 3}}, {i64, {2, 6, 3}}, -2),
       of("fewer lines", {f32, {6, 5, 4}}, {i64, {3, 7, 2}}, 1), of("vector", {f32, {7}}, {i32, {20}}, 0),
       of("out of range", {f32, {4, 3}}, {i64, {4, 30}}, 1, true),
       of("one element per line", {f32, {4, 1}}, {i64, {4, 1}}, 1),
       of("no indices", {f32, {4, 3}}, {i32, {4, 0}}, 1), of("no lines", {f32, {0, 3}}, {i64, {0, 3}}, 1),
       of("of nothing", {f32, {2, 0}}, {i64, {2, 3}}, 1, true)},
      [](PhiloxSequence& r) {
        Shape data(1 + r.below(3)), indices;
        const size_t axis = r.below(data.size());
        for (size_t d = 0; d < data.size(); ++d) {
          data[d] = 1 + static_cast<int64_t>(r.below(5));
          indices.push_back(1 +
                            static_cast<int64_t>(r.below(d == axis ? 6 : static_cast<uint64_t>(data[d]))));
        }
        return of("random", {f32, data}, {r.below(2) ? i32 : i64, indices}, static_cast<int64_t>(axis));
      }};
  for (const DType type : {i8, i16, i32, i64, u8, u16, u32, u64, i1})
    list.fixed.push_back(of(name_of(type), {type, {4, 5}}, {i64, {4, 8}}, 1, true));
  return selecting(sharded(list, "inner", "0 0 > 0; - 1 > 1; 2 2 > 2"));
}

}  // namespace cutset::rules::gather_elements
