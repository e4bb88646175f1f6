// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/one_hot/one_hot_rules.h"

namespace cutset::rules::one_hot {

static Case encode(std::string name, TensorType labels, int64_t low, int64_t high, int64_t depth,
                   DType dtype = f32) {
  return {name, {{"depth", depth}, {"dtype", dtype}}, {{labels, integers(low, high), false}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded({{encode("digits", {i32, {16}}, 0, 10, 10), encode("some outside", {i32, {12}}, -2, 6, 4),
                   encode("i64 matrix", {i64, {3, 4}}, 0, 3, 3), encode("no labels", {i32, {0}}, 0, 3, 3),
                   encode("in f64", {i32, {5}}, -1, 4, 3, f64)},
                  [](PhiloxSequence& r) {
                    int64_t depth = 1 + static_cast<int64_t>(r.below(6));
                    return encode("random", {i32, {1 + static_cast<int64_t>(r.below(5))}}, 0, depth, depth);
                  }},
                 "i64 matrix", "0 > 0; 1 > 1");
}

}  // namespace cutset::rules::one_hot
