// How an op may be split, as data: a list of factors, each a loop of the op that runs over one
// dimension of some operands and results (the form of Shardy's op sharding rules, and of einsum).
//
// Splitting a `parallel` factor n ways splits every dimension it names and changes nothing else.
// Splitting a `reduce` factor, which no result has, leaves each part with a partial sum. `window`
// dimensions need a halo from their neighbours. A dimension that no factor names is not to be split.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/core/types.h"

namespace cutset {

inline constexpr int kAbsent = -1;  // the operand or result does not have this factor

struct Factor {
  enum class Kind { kParallel, kReduce, kWindow } kind;
  std::vector<int> operands;  // the dimension of each operand, or kAbsent
  std::vector<int> results;
};

struct ShardingRule {
  std::vector<Factor> factors;

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

// One parallel factor a dimension of `out`, broadcast operands left out where their size is 1.
ShardingRule elementwise_rule(const Types& in, const TensorType& out, size_t results = 1);

}  // namespace cutset
