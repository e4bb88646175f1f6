#include "ir/ops/argmax/argmax_rules.h"

namespace cutset::rules::argmax {

static Case along(std::string name, TensorType x, int64_t axis, Fill fill) {
  return {name, {{"axis", axis}}, {{x, fill, false}}, 0, 0, "exact"};
}
OpCases cases() {
  return {{along("classes", {f32, {64, 10}}, -1, normal()), along("ties", {f32, {20, 6}}, 1, integers(0, 3)),
           along("channels", {f32, {2, 5, 3, 4}}, 1, normal()), along("i32", {i32, {4, 7}}, 0, integers(-5, 5)),
           along("all alike", {f32, {3, 5}}, 1, integers(0, 1)),
           along("ties along the first axis", {f32, {5, 3, 2}}, 0, integers(0, 2)),
           along("no lines", {f32, {0, 4}}, 1, normal())},
          [](PhiloxSequence& r) {
            Shape x(1 + r.below(3));
            for (int64_t& d : x) d = 1 + static_cast<int64_t>(r.below(5));
            return along("random", {f32, x}, static_cast<int64_t>(r.below(x.size())), integers(0, 4));
          }};
}

}  // namespace cutset::rules::argmax
