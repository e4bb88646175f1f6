// How an op may be split over devices, as data: a list of factors. A factor is a loop of the op, and names the
// dimension of each operand and result that the loop runs over, like a letter of an einsum. The form is that of
// Shardy's op sharding rules (https://openxla.org/shardy).
//
// - A `parallel` factor: each shard of the results is computed from the same shard of the operands, and is bitwise
//   equal to the same shard of the unsplit results.
// - A `reduce` factor occurs in no result: each shard of the operands gives a partial result of the full size. The
//   partial results add up to the result if OpInfo::sums is set; otherwise the factor cannot be split.
// - A `window` factor: neighbouring shards need some of each other's rows (a halo). No pass splits it today.
//
// A dimension that no factor names cannot be split.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/core/types.h"

namespace cutset {

inline constexpr int kAbsent = -1;  // the operand or result does not have this factor

struct Factor {
  enum class Kind { kParallel, kReduce, kWindow } kind;
  std::vector<int> operands;  // for each operand, the dimension that the factor runs over, or kAbsent
  std::vector<int> results;   // the same for each result
};

struct ShardingRule {
  std::vector<Factor> factors;

  // Each appends a factor and returns the rule, so that calls can be chained.
  ShardingRule& parallel(std::vector<int> operands, std::vector<int> results) {
    factors.push_back({Factor::Kind::kParallel, std::move(operands), std::move(results)});
    return *this;
  }
  ShardingRule& reduce(std::vector<int> operands, size_t results) {
    factors.push_back({Factor::Kind::kReduce, std::move(operands), std::vector<int>(results, kAbsent)});
    return *this;
  }
  ShardingRule& window(std::vector<int> operands, std::vector<int> results) {
    factors.push_back({Factor::Kind::kWindow, std::move(operands), std::move(results)});
    return *this;
  }
};

// The rule of an elementwise op with `results` results of type `out`: one parallel factor per dimension of `out`. A
// factor is absent from an operand that is broadcast along its dimension.
ShardingRule elementwise_rule(const Types& in, const TensorType& out, size_t results = 1);

}  // namespace cutset
