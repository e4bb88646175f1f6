// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/add_n/add_n_rules.h"

namespace cutset::rules::add_n {
static Case of(std::string name, size_t values, Shape s) {
  return {name, {}, std::vector<Operand>(values, Operand{{f32, s}}), 0, 0, "exact: the order is given"};
}
OpCases cases() {
  Case integers = of("i32 that wraps around", 3, {7}), bytes = of("u8", 2, {2, 3});
  for (Operand& o : integers.operands) o = {{DType::i32, {7}}, cutset::integers(1 << 30, int64_t{1} << 31)};
  for (Operand& o : bytes.operands) o = {{DType::u8, {2, 3}}, cutset::integers(100, 200)};
  return sharded({{integers, bytes, of("two", 2, {4, 5}), of("five", 5, {33}), of("one", 1, {3}),
                   of("scalars", 3, {}), of("empty", 2, {0, 3})},
                  [](PhiloxSequence& r) { return of("random", 1 + r.below(6), {1 + int64_t(r.below(9))}); }},
                 "two", "0 0 > 0; 1 1 > 1");
}
}  // namespace cutset::rules::add_n
