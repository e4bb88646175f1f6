// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/layer_norm/layer_norm_rows.h"
#include "ir/ops/layer_norm/layer_norm_rules.h"

namespace cutset::rules {
namespace {

Shape tail(const Shape& x, int64_t axis) {
  return Shape(x.begin() + layer_norm_rows(x, axis)->axis, x.end());
}

Case rows(std::string name, Shape x, int64_t axis, Fill fill = normal(), bool bias = true) {
  Case c{name,
         {{"axis", axis}},
         {{{f32, x}, fill}, {{f32, tail(x, axis)}, uniform(0.5, 1.5)}},
         2e-5,
         1e-5,
         "sums and a square root in f32"};
  if (bias) c.operands.push_back({{f32, tail(x, axis)}});
  return c;
}
Case with_epsilon(Case c, double epsilon) {
  c.attributes.emplace_back("epsilon", epsilon);
  return c;
}
Case random_case(PhiloxSequence& r) {
  Shape x(1 + r.below(3));
  for (int64_t& d : x) d = 2 + static_cast<int64_t>(r.below(5));
  return with_epsilon(rows("random", x, static_cast<int64_t>(r.below(x.size())), normal(), r.below(2)), 0.01);
}
OpCases forward() {
  // The mean is 10,000 times the standard deviation of 0.3. A difference of mean squares would have no
  // correct digit.
  Case far = rows("far from zero", {4, 32}, -1, uniform(2999.5, 3000.5));
  far.operands[0].differentiate = false;  // differences of f32 values of this size have few digits
  Case alike = rows("constant rows", {3, 8}, -1, integers(2, 3));
  alike.operands[0].differentiate =
      false;  // the step of a finite difference is not small compared with epsilon
  return {
      {rows("transformer", {4, 6, 64}, -1), rows("two dimensions", {5, 3, 7}, 1), rows("whole", {4, 5}, 0),
       rows("vector", {9}, 0), rows("without a bias", {6, 10}, -1, normal(), false),
       with_epsilon(rows("large epsilon", {6, 10}, -1), 3.0), rows("wide", {2, 1000}, -1), far, alike,
       with_epsilon(rows("one element per row", {5, 1}, -1), 0.1), rows("no rows", {0, 4}, -1),
       rows("many rows", {130, 3}, -1)},
      random_case};
}
Case input_of(Case c) {
  c.operands.resize(2);
  c.operands.insert(c.operands.begin(), Operand{c.operands[0].type});
  return c;
}
Case scale_of(Case c) {
  c.operands = {Operand{c.operands[0].type}, c.operands[0]};
  return c;
}
template <Case (*kChange)(Case)>
OpCases changed() {
  OpCases list = forward();
  for (Case& c : list.fixed) c = kChange(c);
  list.random = [](PhiloxSequence& r) { return kChange(random_case(r)); };
  return list;
}

}  // namespace

namespace layer_norm {
OpCases cases() { return sharded(forward(), "transformer", "0 - - > 0; 1 - - > 1"); }
}  // namespace layer_norm
namespace layer_norm_backward_input {
OpCases cases() { return sharded(changed<input_of>(), "transformer", "0 0 - > 0; 1 1 - > 1"); }
}  // namespace layer_norm_backward_input
namespace layer_norm_backward_scale {
OpCases cases() { return sharded(changed<scale_of>(), "transformer", "0 0 > +; 1 1 > +"); }
}  // namespace layer_norm_backward_scale

}  // namespace cutset::rules
