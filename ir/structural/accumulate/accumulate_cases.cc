// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/accumulate/accumulate_rules.h"

namespace cutset::rules::accumulate {

// The tolerance is 0, because one addition has one correctly rounded result.
static Case of(std::string name, Shape s) {
  const Operand o{{f32, s}};
  return {name, {}, {o, o}, 0, 0, "exact"};
}
OpCases cases() {
  const Operand number{{DType::i32, {7}}, integers(1 << 30, int64_t{1} << 31)};
  const Case wraps{"i32 that wraps around", {}, {number, number}, 0, 0, "exact"};
  return sharded(
      {{wraps, of("matrix", {4, 5}), of("vector", {33}), of("scalar", {}), of("empty", {2, 0})},
       [](PhiloxSequence& r) { return of("random", {1 + int64_t(r.below(9)), 1 + int64_t(r.below(30))}); }},
      "matrix", "0 0 > 0; 1 1 > 1");
}

}  // namespace cutset::rules::accumulate
