// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/detach/detach_rules.h"

namespace cutset::rules::detach {

static Case of(std::string name, TensorType x) {
  return {name, {}, {{x, is_float(x.dtype) ? normal() : integers(0, 9), false}}, 0, 0, "exact"};
}
// Finite differences give the gradient of the op only if the op passes the whole gradient.
// tests/equivalence/values/detach_test.cc tests the other cases.
static Case unless(std::string name, TensorType x, Shape shape, bool all) {
  Case c = of(name, x);
  c.operands[0].differentiate = all;
  c.operands.push_back({{DType::i1, shape}, integers(all, 1), false});
  return c;
}

OpCases cases() {
  return sharded(
      {{of("image", {f32, {2, 3, 4}}), of("scalar", {f32, {}}), of("i64", {i64, {5}}),
        unless("one condition", {f32, {4, 5}}, {}, true), unless("no gradient", {f32, {4, 5}}, {}, false),
        unless("a condition per element", {f32, {4, 5}}, {4, 5}, false),
        unless("a condition per column", {f32, {4, 5}}, {5}, true)},
       [](PhiloxSequence& r) {
         return unless("random", {f32, {1 + int64_t(r.below(4)), 1 + int64_t(r.below(4))}}, {}, true);
       }},
      "image", "0 > 0; 1 > 1; 2 > 2");
}

}  // namespace cutset::rules::detach
