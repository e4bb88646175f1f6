#include "ir/ops/random/random_rules.h"

namespace cutset::ops {
namespace {
Case draw(std::string name, const char* first, const char* second, double a, double b, Shape shape, int64_t seed,
          double tolerance) {
  return {name,
          {{first, a}, {second, b}, {"seed", seed}, {"stream", seed + 7}},
          {{{f32, shape}, {}, false}},
          tolerance,
          tolerance,
          tolerance > 0 ? "a fused multiply-add, or the device's log and cos" : "exact"};
}
}  // namespace

namespace random_uniform {
OpCases cases() {
  return {
      {draw("unit", "low", "high", 0, 1, {1003}, 1, 0),
       draw("filter", "low", "high", -0.2, 0.2, {20, 1, 5, 5}, 3, 1e-6), draw("scalar", "low", "high", 0, 1, {}, 2, 0)},
      [](PhiloxSequence& r) {
        return draw("random", "low", "high", -1, 2, {1 + int64_t(r.below(40))}, int64_t(r.next()), 1e-6);
      }};
}
}  // namespace random_uniform

namespace random_normal {
OpCases cases() {
  return {{draw("unit", "mean", "deviation", 0, 1, {1003}, 1, 1e-5),
           draw("moved", "mean", "deviation", 3, 0.1, {7, 5}, 3, 1e-5)},
          [](PhiloxSequence& r) {
            return draw("random", "mean", "deviation", -1, 2, {1 + int64_t(r.below(40))}, int64_t(r.next()), 1e-5);
          }};
}
}  // namespace random_normal

}  // namespace cutset::ops
