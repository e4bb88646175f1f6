// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/scatter_elements/scatter_elements_rules.h"

namespace cutset::rules::scatter_elements {
namespace {

// The indices are in range. If `beyond` is set, some are out of range.
Case of(std::string name, TensorType data, TensorType indices, int64_t axis, std::string reduction,
        bool beyond = false) {
  const int64_t n = data.shape[static_cast<size_t>(axis < 0 ? axis + data.rank() : axis)],
                more = beyond ? n + 2 : n;
  const bool real = is_float(data.dtype);
  const Fill fill = real ? uniform(0.5, 1.5) : integers(0, data.dtype == i1 ? 2 : 20);
  return {name,
          {{"axis", axis}, {"reduction", reduction}},
          {{data, fill, real && !beyond},
           {indices, integers(-more, std::max<int64_t>(more, 1)), false},
           {{data.dtype, indices.shape}, fill, real && !beyond}},
          0,
          0,
          "exact"};
}
// The updates of a product have zeros.
Case with_zeros(Case c) {
  c.operands[2].fill = integers(-1, 3);
  return c;
}
Case random_case(PhiloxSequence& r) {
  Shape data(1 + r.below(3)), indices;
  const size_t axis = r.below(data.size());
  for (size_t d = 0; d < data.size(); ++d) {
    data[d] = 1 + static_cast<int64_t>(r.below(5));
    indices.push_back(1 + static_cast<int64_t>(r.below(d == axis ? 6 : static_cast<uint64_t>(data[d]))));
  }
  const char* const reductions[] = {"none", "add", "mul", "max", "min"};
  return of("random", {f32, data}, {r.below(2) ? i32 : i64, indices}, static_cast<int64_t>(axis),
            reductions[r.below(5)]);
}

}  // namespace

OpCases cases() {
  OpCases list{{}, random_case};
  for (const char* reduction : {"none", "add", "mul", "max", "min"}) {
    const std::string of_kind = std::string(", ") + reduction;
    const auto add = [&](const char* name, TensorType data, TensorType indices, int64_t axis,
                         bool beyond = false) {
      list.fixed.push_back(of(name + of_kind, data, indices, axis, reduction, beyond));
    };
    add("columns", {f32, {6, 9}}, {i64, {6, 4}}, 1);
    add("each often", {f32, {3, 4}}, {i32, {20, 4}}, 0);
    add("inner", {f32, {2, 4, 3}}, {i64, {2, 6, 3}}, -2);
    add("fewer lines", {f32, {6, 5, 4}}, {i64, {3, 7, 2}}, 1);
    add("out of range", {f32, {8, 3}}, {i64, {8, 2}}, 1, true);
    add("i64", {i64, {4, 5}}, {i32, {4, 9}}, 1, true);
    add("i8", {i8, {4, 5}}, {i64, {4, 30}}, 1);
    add("u16", {u16, {4, 5}}, {i64, {4, 9}}, 1, true);
  }
  for (const DType type : {i16, i32, u8, u32, u64})
    list.fixed.push_back(of(name_of(type), {type, {4, 5}}, {i64, {4, 12}}, 1, "mul", true));
  for (const char* reduction : {"none", "max", "min"})
    list.fixed.push_back(
        of(std::string("flags, ") + reduction, {i1, {4, 5}}, {i64, {4, 8}}, 1, reduction, true));
  list.fixed.push_back(with_zeros(of("zeros", {f32, {8, 4}}, {i64, {8, 5}}, 1, "mul")));
  list.fixed.push_back(of("one element per line", {f32, {4, 1}}, {i64, {4, 1}}, 1, "none"));
  list.fixed.push_back(of("no indices", {f32, {4, 3}}, {i32, {4, 0}}, 1, "add"));
  list.fixed.push_back(of("no lines", {f32, {0, 3}}, {i64, {0, 3}}, 1, "none"));
  list.fixed.push_back(of("into nothing", {f32, {2, 0}}, {i64, {2, 3}}, 1, "add", true));
  return selecting(sharded(list, "inner, add", "0 0 0 > 0; 2 2 2 > 2"));
}

}  // namespace cutset::rules::scatter_elements
