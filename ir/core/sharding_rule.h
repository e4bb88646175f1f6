// How an op may be split over devices, as data: a list of factors. A factor is a loop of the op, and names the
// dimension of each operand and result that the loop runs over, like a letter of an einsum. The form is that of
// Shardy's op sharding rules (https://openxla.org/shardy). A factor says of each result separately what a shard of the
// operands gives:
//
// - a shard of the result, which is bitwise equal to the same shard of the unsplit result, if the factor runs over a
//   dimension of the result;
// - a partial sum of the full size if the factor is kPartial in the result: the partial sums of all shards add up to
//   the result.
//
// A `window` factor is different: neighbouring shards need some of each other's rows (a halo). No pass splits it today.
//
// A dimension that no factor names cannot be split. Examples are the dimension over which a maximum is taken, since
// partial maxima do not add up, and that over which softmax normalizes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/core/types.h"

namespace cutset {

inline constexpr int kAbsent = -1;   // the operand does not have this factor, so each shard reads all of it
inline constexpr int kPartial = -2;  // each shard gives a partial sum of the result

struct Factor {
  std::vector<int> operands;  // for each operand, the dimension that the factor runs over, or kAbsent
  std::vector<int> results;   // for each result, the dimension that the factor runs over, or kPartial
  bool window = false;

  // Whether the factor can be split, and each shard gives a shard of every result.
  bool is_parallel() const { return !window && !sums(); }
  // Whether the shards give partial sums of a result.
  bool sums() const { return std::find(results.begin(), results.end(), kPartial) != results.end(); }
};

struct ShardingRule {
  std::vector<Factor> factors;

  // Each appends a factor and returns the rule, so that calls can be chained. A dimension of `results` may be kPartial.
  ShardingRule& factor(std::vector<int> operands, std::vector<int> results) {
    factors.push_back({std::move(operands), std::move(results)});
    return *this;
  }
  ShardingRule& window(std::vector<int> operands, std::vector<int> results) {
    factors.push_back({std::move(operands), std::move(results), true});
    return *this;
  }
};

// The rule of an elementwise op with `results` results of type `out`: one factor per dimension of `out`. A
// factor is absent from an operand that is broadcast along its dimension.
ShardingRule elementwise_rule(const Types& in, const TensorType& out, size_t results = 1);

}  // namespace cutset
