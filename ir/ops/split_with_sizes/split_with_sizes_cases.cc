// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/split_with_sizes/split_with_sizes_rules.h"

namespace cutset::rules::split_with_sizes {

// `x` may have any size along `axis`. The sum of the sizes replaces it.
static Case of(std::string name, TensorType x, int64_t axis, IntList sizes) {
  int64_t& all = x.shape[static_cast<size_t>(axis < 0 ? axis + x.rank() : axis)];
  all = 0;
  for (const int64_t size : sizes) all += size;
  const bool real = is_float(x.dtype);
  return {name,   {{"axis", axis}, {"sizes", sizes}}, {{x, real ? normal() : integers(0, 2), real}}, 0, 0,
          "exact"};
}

OpCases cases() {
  return sharded(
      {{of("rows", {f32, {0, 3, 5}}, 0, {4, 1, 2}), of("inner", {f32, {4, 0, 3}}, 1, {2, 3}),
        of("one", {f32, {3, 0}}, -1, {5}), of("gates", {f32, {6, 0}}, 1, {8, 8, 8, 8}),
        of("some empty", {f32, {2, 0}}, 1, {0, 3, 0, 1}), of("all empty", {f32, {0, 2}}, 0, {0, 0}),
        of("flags", {i1, {0}}, 0, {2, 3}), of("u16", {u16, {2, 0}}, 1, {3, 2}),
        of("wide", {u64, {0, 2}}, 0, {1, 2}), of("seventy", {f32, {2, 0}}, 1, IntList(70, 1))},
       [](PhiloxSequence& r) {
         IntList sizes(1 + r.below(4));
         for (int64_t& size : sizes) size = 1 + static_cast<int64_t>(r.below(4));
         return of("random", {f32, {2, 0, 1 + static_cast<int64_t>(r.below(4))}}, r.below(2) ? 1 : -2, sizes);
       }},
      "inner", "0 > 0 0; 2 > 2 2");
}

}  // namespace cutset::rules::split_with_sizes
