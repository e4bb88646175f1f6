// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/gather/gather_rules.h"
#include "ir/ops/gather/gather_shape.h"

namespace cutset::rules {
namespace {

Case rows(std::string name, Shape data, TensorType indices, int64_t axis, Fill fill = normal()) {
  const int64_t length =
      data[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(data.size()) : axis)];
  return {name,
          {{"axis", axis}},
          {{{f32, data}, fill}, {indices, integers(-length, std::max<int64_t>(length, 1)), false}},
          0,
          0,
          "exact"};
}
// Returns a problem whose data is the rows from `first` on of a table of `table` rows. The indices are rows
// of the whole table. Some are out of range.
Case piece(std::string name, Shape data, TensorType indices, int64_t axis, int64_t first, int64_t table) {
  Case c = rows(name, data, indices, axis);
  c.attributes.emplace_back("first_row", first);
  c.attributes.emplace_back("table_rows", table);
  const int64_t most = std::min(table + 2, indices.dtype == DType::i32 ? INT32_MAX : INT64_MAX / 2);
  c.operands[1].fill = integers(-most, most);
  c.operands[0].differentiate = false;  // the result has NaN
  return c;
}
Case with_indices(Case c, int64_t low, int64_t high) {
  c.operands[1].fill = integers(low, high);
  c.operands[0].differentiate = false;  // the result has NaN
  return c;
}
// Returns the problem with data of another type. The indices stay as they are, and some are out of range.
Case of_type(Case c, DType type) {
  c.operands[0] = {{type, c.operands[0].type.shape}, type == i1 ? integers(0, 2) : integers(1, 100), false};
  return c;
}
Case random_case(PhiloxSequence& r) {
  Shape data(1 + r.below(3)), indices(r.below(3));
  for (int64_t& d : data) d = 1 + static_cast<int64_t>(r.below(5));
  for (int64_t& d : indices) d = 1 + static_cast<int64_t>(r.below(4));
  const TensorType ids{r.below(2) ? i32 : i64, indices};
  const auto axis = static_cast<int64_t>(r.below(data.size()));
  if (r.below(3)) return rows("random", data, ids, axis);
  const auto first = static_cast<int64_t>(r.below(4)), behind = static_cast<int64_t>(r.below(4));
  return piece("random piece", data, ids, axis, first, first + data[static_cast<size_t>(axis)] + behind);
}
OpCases forward() {
  return {
      {rows("embedding", {20, 6}, {i32, {4, 5}}, 0), rows("i64 indices", {7, 3}, {i64, {11}}, 0),
       rows("columns", {4, 9}, {i32, {6}}, 1), rows("inner", {3, 5, 4}, {i32, {2, 3}}, -2),
       rows("one index", {5, 3}, {i32, {}}, 0), rows("each row often", {2, 8}, {i32, {100}}, 0),
       rows("vector", {10}, {i64, {3, 2}}, 0), rows("no indices", {5, 2}, {i32, {0}}, 0),
       rows("empty rows", {4, 0}, {i32, {3}}, 0),
       with_indices(rows("out of range", {5, 3}, {i32, {40}}, 0), -12, 12),
       with_indices(rows("far out of range", {5, 3}, {i64, {6}}, 0), INT64_C(1) << 40,
                    (INT64_C(1) << 40) + 9),
       piece("first rows", {4, 3}, {i32, {30}}, 0, 0, 11), piece("inner rows", {4, 3}, {i64, {30}}, 0, 3, 11),
       piece("last columns", {2, 4, 3}, {i32, {25}}, 1, 7, 11),
       piece("large table", {4, 3}, {i64, {6}}, 0, 0, INT64_C(1) << 42),
       piece("large table, i32 indices", {4, 3}, {i32, {6}}, 0, (INT64_C(1) << 42) - 4, INT64_C(1) << 42),
       with_indices(rows("no rows", {0, 3}, {i32, {4}}, 0), -1, 2)},
      random_case};
}
Case backward_of(Case c) {
  auto flat = FlatAttrs::pack(find_op("gather")->schema, c.attributes);
  const Types out = *find_op("gather")->infer(flat->data(), {c.operands[0].type, c.operands[1].type});
  Operand like = c.operands[0];
  like.differentiate = false;
  c.operands = {Operand{out[0]}, c.operands[1], like};
  c.relative = 1e-5;
  c.absolute = 1e-6;
  c.why = "sums in f32";
  return c;
}

}  // namespace

namespace gather {
OpCases cases() {
  OpCases list = forward();
  for (const DType type : {i8, i16, i32, i64, u8, u16, u32, u64, i1}) {
    list.fixed.push_back(of_type(with_indices(rows(name_of(type), {5, 3}, {i64, {4, 5}}, 0), -7, 7), type));
    list.fixed.push_back(of_type(piece("rows of a table", {4, 2}, {i32, {20}}, 0, 0, 9), type));
    list.fixed.push_back(of_type(piece("last rows of a table", {4, 2}, {i32, {20}}, 0, 5, 9), type));
  }
  return selecting(
      sharded(list, "embedding", "- 0 > 0; - 1 > 1; 1 - > 2; 0 - > + at first_row of table_rows"));
}
}  // namespace gather
namespace gather_backward {
OpCases cases() {
  OpCases list = forward();
  for (Case& c : list.fixed) c = backward_of(c);
  list.random = [](PhiloxSequence& r) { return backward_of(random_case(r)); };
  return selecting(
      sharded(list, "embedding", "0 0 - > +; 1 1 - > +; 2 - 1 > 1; - - 0 > 0 at first_row of table_rows"));
}
}  // namespace gather_backward

}  // namespace cutset::rules
