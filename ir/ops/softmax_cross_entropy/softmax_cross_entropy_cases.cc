// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/softmax_cross_entropy/softmax_cross_entropy_rules.h"

namespace cutset::rules {
namespace {

Case rows(std::string name, int64_t n, int64_t c, DType label, Fill fill) {
  return {name, {},   {{{f32, {n, c}}, fill}, {{label, {n}}, integers(0, c), false}},
          1e-5, 1e-5, "exp and log of f32"};
}
Case backward(Case c) {
  c.operands.insert(c.operands.begin(), Operand{{f32, {c.operands[0].type.shape[0]}}});
  return c;
}
OpCases all() {
  return {{rows("mnist", 64, 10, i32, normal()), rows("large logits", 4, 5, i32, uniform(-300, 300)),
           rows("two classes", 7, 2, i64, normal()), rows("u8 labels", 3, 10, u8, normal()),
           rows("ties", 9, 4, i32, integers(0, 2)), rows("one class", 5, 1, i32, normal()),
           rows("no rows", 0, 10, i32, normal())},
          [](PhiloxSequence& r) {
            return rows("random", 1 + int64_t(r.below(6)), 1 + int64_t(r.below(8)), i32, normal());
          }};
}

}  // namespace

namespace softmax_cross_entropy {
OpCases cases() { return sharded(all(), "mnist", "0 0 > 0"); }
}  // namespace softmax_cross_entropy

namespace softmax_cross_entropy_backward {
OpCases cases() {
  OpCases list = all();
  for (Case& c : list.fixed) c = backward(c);
  list.random = [](PhiloxSequence& r) { return backward(all().random(r)); };
  return sharded(list, "mnist", "0 0 0 > 0");
}
}  // namespace softmax_cross_entropy_backward

}  // namespace cutset::rules
