// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/argmax/argmax_rules.h"

namespace cutset::rules {
namespace {

Case along(std::string name, TensorType x, int64_t axis, Fill fill, bool last = false) {
  return {name, {{"axis", axis}, {"select_last_index", last}}, {{x, fill, false}}, 0, 0, "exact"};
}
OpCases indices() {
  return {
      {along("classes", {f32, {64, 10}}, -1, normal()), along("ties", {f32, {20, 6}}, 1, integers(0, 3)),
       along("last of ties", {f32, {20, 6}}, 1, integers(0, 3), true),
       along("channels", {f32, {2, 5, 3, 4}}, 1, normal()), along("i32", {i32, {4, 7}}, 0, integers(-5, 5)),
       along("last of i64", {i64, {4, 7}}, 0, integers(-2, 2), true),
       along("i8", {i8, {9, 4}}, 1, integers(-128, 128)), along("u64", {u64, {9, 4}}, 1, integers(0, 5)),
       along("flags", {i1, {9, 4}}, 1, integers(0, 2)), along("all alike", {f32, {3, 5}}, 1, integers(0, 1)),
       along("ties along the first axis", {f32, {5, 3, 2}}, 0, integers(0, 2)),
       along("one element per line", {f32, {3, 1}}, 1, normal(), true),
       along("no lines", {f32, {0, 4}}, 1, normal())},
      [](PhiloxSequence& r) {
        Shape x(1 + r.below(3));
        for (int64_t& d : x) d = 1 + static_cast<int64_t>(r.below(5));
        return along("random", {f32, x}, static_cast<int64_t>(r.below(x.size())), integers(0, 4), r.below(2));
      }};
}

}  // namespace

namespace argmax {
OpCases cases() { return sharded(indices(), "channels", "0 > 0; 2 > 1; 3 > 2"); }
}  // namespace argmax
namespace argmin {
OpCases cases() { return sharded(indices(), "channels", "0 > 0; 2 > 1; 3 > 2"); }
}  // namespace argmin

}  // namespace cutset::rules
