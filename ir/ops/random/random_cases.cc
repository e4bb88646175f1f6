// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/random/random_rules.h"

namespace cutset::rules {
namespace {
Case draw(std::string name, const char* first, const char* second, double a, double b, Shape shape,
          int64_t seed, double tolerance, int64_t step = 0, int64_t first_element = 0) {
  return {name,
          {{first, a}, {second, b}, {"seed", seed}, {"stream", seed + 7}, {"first_element", first_element}},
          {{{f32, shape}, {}, false}, {{i64, {}}, integers(step, step + 1), false}},
          tolerance,
          tolerance,
          tolerance > 0 ? "a fused multiply-add, or the device's log and cos" : "exact"};
}
}  // namespace

namespace random_uniform {
OpCases cases() {
  return not_exported(sharded({{draw("unit", "low", "high", 0, 1, {1003}, 1, 0),
                                draw("filter", "low", "high", -0.2, 0.2, {20, 1, 5, 5}, 3, 1e-6),
                                draw("scalar", "low", "high", 0, 1, {}, 2, 0),
                                draw("later step", "low", "high", 0, 1, {30, 7}, 1, 0, 123456789012),
                                draw("rows of a whole", "low", "high", 0, 1, {41, 3}, 1, 0, 5, 6 * 3)},
                               [](PhiloxSequence& r) {
                                 return draw("random", "low", "high", -1, 2, {1 + int64_t(r.below(40))},
                                             int64_t(r.next()), 1e-6, int64_t(r.below(1000)),
                                             int64_t(r.below(50)));
                               }},
                              "rows of a whole", "0 - > 0"),
                      "ONNX does not define the random numbers");
}
}  // namespace random_uniform

namespace random_normal {
OpCases cases() {
  return not_exported(
      sharded({{draw("unit", "mean", "stddev", 0, 1, {1003}, 1, 1e-5),
                draw("moved", "mean", "stddev", 3, 0.1, {7, 5}, 3, 1e-5),
                draw("rows of a whole, later", "mean", "stddev", 0, 1, {21, 3}, 1, 1e-5, 9, 7)},
               [](PhiloxSequence& r) {
                 return draw("random", "mean", "stddev", -1, 2, {1 + int64_t(r.below(40))}, int64_t(r.next()),
                             1e-5, int64_t(r.below(1000)), int64_t(r.below(50)));
               }},
              "moved", "0 - > 0"),
      "ONNX does not define the random numbers");
}
}  // namespace random_normal

}  // namespace cutset::rules
