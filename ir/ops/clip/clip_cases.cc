// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/clip/clip_rules.h"

namespace cutset::rules::clip {

// The bounds are drawn from narrow ranges, so that elements are below, between and above them.
static Case of(std::string name, TensorType x, bool minimum, bool maximum) {
  const bool real = is_float(x.dtype), sign = !is_unsigned(x.dtype);
  Case c{name, {{kOperandSegments, IntList{1, minimum, maximum}}}, {}, 0, 0, "exact"};
  c.operands.push_back({x, real ? normal() : integers(sign ? -9 : 0, 9), real});
  if (minimum)
    c.operands.push_back(
        {{x.dtype, {}}, real ? uniform(-0.9, -0.3) : integers(sign ? -4 : 2, sign ? -2 : 4), real});
  if (maximum) c.operands.push_back({{x.dtype, {}}, real ? uniform(0.3, 0.9) : integers(5, 8), real});
  return c;
}

OpCases cases() {
  return sharded({{of("both", {f32, {5, 7}}, true, true), of("from below", {f32, {17}}, true, false),
                   of("from above", {f32, {2, 3, 4}}, false, true), of("neither", {f32, {3}}, false, false),
                   of("scalar", {f32, {}}, true, true), of("i32", {i32, {9, 2}}, true, true),
                   of("i16", {i16, {20}}, true, false), of("bytes", {u8, {30}}, true, true),
                   of("u16", {u16, {30}}, false, true), of("u32", {u32, {30}}, true, true),
                   of("u64", {u64, {30}}, true, true), of("empty", {f32, {0, 3}}, true, true)},
                  [](PhiloxSequence& r) {
                    return of("random", {f32, {1 + int64_t(r.below(5)), 1 + int64_t(r.below(5))}},
                              r.below(2) == 0, r.below(2) == 0);
                  }},
                 "both", "0 - - > 0; 1 - - > 1");
}

}  // namespace cutset::rules::clip
