// SPDX-License-Identifier: Apache-2.0
#include "ops/soft_cap/soft_cap_rules.h"

namespace cutset::rules::soft_cap {

static Case of(std::string name, TensorType x, double limit) {
  return {name, {{"limit", limit}}, {{x, normal()}}};
}

OpCases cases() {
  return {{of("matrix", {DType::f32, {5, 7}}, 0.5), of("wide", {DType::f32, {300}}, 30),
           of("f64", {DType::f64, {9}}, 2), of("scalar", {DType::f32, {}}, 1),
           of("empty", {DType::f32, {0, 3}}, 1)},
          [](PhiloxSequence& r) {
            return of("random", {DType::f32, {1 + int64_t(r.below(5)), 1 + int64_t(r.below(5))}},
                      0.5 + double(r.below(8)));
          }};
}

}  // namespace cutset::rules::soft_cap
