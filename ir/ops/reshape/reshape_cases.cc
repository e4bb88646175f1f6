// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/reshape/reshape_rules.h"

namespace cutset::rules {

namespace reshape {
static Case to(std::string name, Shape x, std::vector<int64_t> shape) {
  return {name, {{"shape", shape}}, {{{f32, x}}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded({{to("flatten", {4, 5, 2, 2}, {0, -1}), to("split", {6, 4}, {0, 2, 2}),
                   to("to scalar", {1, 1}, {}), to("pooling windows", {2, 3, 4, 4}, {0, 0, 2, 2, 2, 2}),
                   to("kept dimensions", {2, 3, 6, 5}, {0, 1, 3, 2, 3, -1}),
                   to("the size of another dimension", {2, 4, 4}, {0, 1, 0, -1})},
                  [](PhiloxSequence& r) {
                    int64_t a = 1 + int64_t(r.below(4)), b = 1 + int64_t(r.below(4)),
                            c = 1 + int64_t(r.below(4));
                    return to("random", {a, b * c}, {0, b, -1});
                  }},
                 "kept dimensions", "0 > 0; 1 > 2; 2/3 > 3; 3 > 5");
}
}  // namespace reshape

namespace reshape_like {
static Case to(std::string name, Shape x, Shape like) {
  return {name, {}, {{{f32, x}}, {{f32, like}, {}, false}}, 0, 0, "exact"};
}
OpCases cases() {
  return sharded({{to("unflatten", {4, 20}, {4, 5, 2, 2}), to("scalar", {1}, {}),
                   to("kept dimensions", {2, 3, 2, 5}, {2, 1, 3, 10})},
                  [](PhiloxSequence& r) {
                    int64_t a = 1 + int64_t(r.below(4)), b = 1 + int64_t(r.below(4));
                    return to("random", {a, b}, {b, a});
                  }},
                 "kept dimensions", "0 0 > 0; 1 2 > 2; 2 3/5 > 3/5");
}
}  // namespace reshape_like

}  // namespace cutset::rules
