// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/avg_pool/avg_pool_rules.h"
#include "ir/ops/pooling/pooling_problems.h"

namespace cutset::rules {
namespace {

Case pool(const PoolProblem& p, bool count_include_pad, int64_t divisor_override = 0) {
  Case c{p.name, p.attributes(), {{{f32, p.x}}}, 2e-6, 1e-6, "the order of the additions in a window"};
  c.attributes.push_back({"count_include_pad", count_include_pad});
  c.attributes.push_back({"divisor_override", divisor_override});
  if (!count_include_pad) c.name += " without padding";
  if (divisor_override) c.name += " over " + std::to_string(divisor_override);
  return c;
}
Case backward(const PoolProblem& p, bool count_include_pad, int64_t divisor_override = 0) {
  Case c = pool(p, count_include_pad, divisor_override);
  c.operands.insert(c.operands.begin(), Operand{{f32, p.sizes().result()}});
  return c;
}
template <Case (*make)(const PoolProblem&, bool, int64_t)>
OpCases all_cases() {
  OpCases all;
  for (const PoolProblem& p : pool_problems()) {
    all.fixed.push_back(make(p, true, 0));
    if (!p.padding.empty() || p.ceil_mode) all.fixed.push_back(make(p, false, 0));
  }
  for (size_t i : {1, 2, 14, 20, 23}) all.fixed.push_back(make(pool_problems()[i], i % 2 == 0, 3));
  all.random = [](PhiloxSequence& r) {
    const PoolProblem p = random_pool_problem(r);
    return make(p, r.below(2) == 0, static_cast<int64_t>(r.below(3)));
  };
  return all;
}

}  // namespace

namespace avg_pool {
OpCases cases() {
  return selecting(sharded(all_cases<pool>(), "lenet", "0 > 0; 1 > 1; window 2 > 2; window 3 > 3"));
}
}  // namespace avg_pool

namespace avg_pool_backward {
OpCases cases() {
  return selecting(
      sharded(all_cases<backward>(), "lenet", "0 0 > 0; 1 1 > 1; window 2 2 > 2; window 3 3 > 3"));
}
}  // namespace avg_pool_backward

}  // namespace cutset::rules
