// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/transpose/transpose_rules.h"

namespace cutset::rules::transpose {

static Case permuted(std::string name, TensorType x, std::vector<int64_t> permutation) {
  bool real = is_float(x.dtype);
  return {name,   {{"permutation", permutation}}, {{x, real ? normal() : integers(-9, 9), real}}, 0, 0,
          "exact"};
}
OpCases cases() {
  return sharded(
      {{permuted("matrix", {f32, {5, 7}}, {1, 0}), permuted("to NHWC", {f32, {2, 3, 4, 5}}, {0, 2, 3, 1}),
        permuted("i32", {i32, {3, 2, 4}}, {2, 0, 1}), permuted("identity", {f32, {3, 2}}, {0, 1}),
        permuted("scalar", {f32, {}}, {}), permuted("empty", {f32, {2, 0, 3}}, {2, 0, 1})},
       [](PhiloxSequence& r) {
         Shape x(1 + r.below(4));
         std::vector<int64_t> p;
         for (size_t d = 0; d < x.size(); ++d) {
           x[d] = 1 + static_cast<int64_t>(r.below(5));
           p.insert(p.begin() + static_cast<int64_t>(r.below(p.size() + 1)), static_cast<int64_t>(d));
         }
         return permuted("random", {f32, x}, p);
       }},
      "to NHWC", "0 > 0; 2 > 1; 3 > 2; 1 > 3");
}

}  // namespace cutset::rules::transpose
