// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/cumulative/cumulative_rules.h"

namespace cutset::rules {
namespace {

Case along(std::string name, TensorType x, int64_t axis, bool exclusive, bool reverse,
           Fill fill = uniform(-1.4, -0.7)) {
  Case c{
      name, {{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}}, {{x, fill, is_float(x.dtype)}}};
  if (is_float(x.dtype)) {
    c.relative = 1e-5;
    c.absolute = 1e-5;
    c.why = "sums and products in f32";
  } else {
    c.operands[0].fill = integers(1, 10);
    c.relative = 0;
    c.absolute = 0;
    c.why = "exact";
  }
  return c;
}
Case random_case(PhiloxSequence& r) {
  Shape x(1 + r.below(3));
  for (int64_t& d : x) d = 1 + static_cast<int64_t>(r.below(5));
  const auto rank = static_cast<int64_t>(x.size());
  return along("random", {f32, x}, static_cast<int64_t>(r.below(x.size())) - (r.below(2) ? rank : 0),
               r.below(2), r.below(2), normal());
}
OpCases floats() {
  return {{along("lines", {f32, {4, 9}}, -1, false, false), along("exclusive", {f32, {4, 9}}, 1, true, false),
           along("reverse", {f32, {5, 3}}, 0, false, true), along("inner", {f32, {2, 5, 3}}, 1, true, true),
           along("with zeros", {f32, {9, 5}}, 1, false, false, integers(-1, 3)),
           along("exclusive with zeros", {f32, {9, 5}}, 1, true, false, integers(-1, 3)),
           along("backwards with zeros", {f32, {3, 6, 2}}, 1, true, true, integers(-1, 3)),
           along("long line", {f32, {300}}, 0, false, false),
           along("one element per line", {f32, {3, 1}}, 1, false, false),
           along("one element, exclusive", {f32, {3, 1}}, 1, true, true),
           along("no lines", {f32, {0, 4}}, 1, false, false),
           along("empty lines", {f32, {3, 0}}, 1, true, false)},
          random_case};
}
OpCases all_types() {
  OpCases all = floats();
  // The sums and the products of i8, u8, i16 and u16 wrap around.
  for (const DType type : {i8, i16, i32, i64, u8, u16, u32, u64})
    all.fixed.push_back(
        along(name_of(type), {type, {3, 70}}, 1, type == i16 || type == u32, type == i64 || type == u32));
  return all;
}

// The last operand is x.
Case backward_of(Case c) {
  c.operands.insert(c.operands.begin(), Operand{c.operands[0].type});
  return c;
}

}  // namespace

namespace cumsum {
OpCases cases() { return selecting(sharded(all_types(), "inner", "0 > 0; 2 > 2")); }
}  // namespace cumsum
namespace cumprod {
OpCases cases() {
  return not_exported(selecting(sharded(all_types(), "inner", "0 > 0; 2 > 2")),
                      "ONNX has CumProd from operator set 26 on");
}
}  // namespace cumprod
namespace cumprod_backward {
OpCases cases() {
  OpCases list = floats();
  for (Case& c : list.fixed) c = backward_of(c);
  list.random = [](PhiloxSequence& r) { return backward_of(random_case(r)); };
  return selecting(sharded(list, "inner", "0 0 > 0; 2 2 > 2"));
}
}  // namespace cumprod_backward

}  // namespace cutset::rules
