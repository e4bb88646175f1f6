// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/softmax/softmax_rules.h"

namespace cutset::rules {
namespace {

Case along(std::string name, Shape x, int64_t axis, Fill fill) {
  return {name, {{"axis", axis}}, {{{f32, x}, fill}}, 1e-5, 1e-6, "exp and sums of f32"};
}
Case random_case(PhiloxSequence& r) {
  Shape x(1 + r.below(3));
  for (int64_t& d : x) d = 1 + static_cast<int64_t>(r.below(5));
  const auto rank = static_cast<int64_t>(x.size());
  return along("random", x, static_cast<int64_t>(r.below(x.size())) - (r.below(2) ? rank : 0), normal());
}
OpCases forward() {
  return {{along("classes", {64, 10}, -1, normal()), along("attention", {2, 3, 5, 17}, -1, normal()),
           along("channels", {2, 5, 3, 4}, 1, normal()), along("first axis", {6, 4}, 0, normal()),
           along("large values", {4, 5}, 1, uniform(-300, 300)), along("ties", {9, 4}, 1, integers(0, 2)),
           along("long lines", {2, 1000}, 1, normal()), along("one element per line", {5, 1}, 1, normal()),
           along("vector", {7}, 0, normal()), along("no lines", {0, 4}, 1, normal()),
           along("empty lines", {3, 0}, 1, normal())},
          random_case};
}
// The backward ops are tested with any y. It need not be a result of softmax.
Case backward_of(Case c) {
  c.operands = {Operand{c.operands[0].type}, Operand{c.operands[0].type, uniform(-1, 1)}};
  return c;
}
OpCases backward() {
  OpCases list = forward();
  for (Case& c : list.fixed) c = backward_of(c);
  list.random = [](PhiloxSequence& r) { return backward_of(random_case(r)); };
  return list;
}

}  // namespace

namespace softmax {
OpCases cases() { return sharded(forward(), "channels", "0 > 0; 2 > 2; 3 > 3"); }
}  // namespace softmax
namespace log_softmax {
OpCases cases() { return sharded(forward(), "channels", "0 > 0; 2 > 2; 3 > 3"); }
}  // namespace log_softmax
namespace softmax_backward {
OpCases cases() { return sharded(backward(), "channels", "0 0 > 0; 2 2 > 2; 3 3 > 3"); }
}  // namespace softmax_backward
namespace log_softmax_backward {
OpCases cases() { return sharded(backward(), "channels", "0 0 > 0; 2 2 > 2; 3 3 > 3"); }
}  // namespace log_softmax_backward

}  // namespace cutset::rules
