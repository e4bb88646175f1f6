// SPDX-License-Identifier: Apache-2.0
// Describes how an op may be split over devices, as a list of factors. A factor is a loop of the op. It names
// the dimension of each operand and result that the loop runs over, like a letter of an einsum. Shardy's op
// sharding rules (https://openxla.org/shardy) have the same form. For each result, a factor says what a shard
// of the operands gives:
//
// - If the factor runs over a dimension of the result: a shard of the result. It is bitwise equal to the same
//   shard of the unsplit result.
// - If the factor is kPartial in the result: a partial sum of the full size. The partial sums of all shards
//   add up to the result.
// - If the factor is kAbsent in the result: the whole result, bitwise equal in every shard. An example is a
//   state of an optimizer that does not have the shape of the variable.
//
// A `window` factor is different: neighbouring shards need some of each other's rows (a halo). No pass splits
// it today.
//
// A compound factor has units: it runs over a part of a dimension, and each of its steps covers `unit`
// elements of the dimension. A reshape from 6x512 to 6x8x64 has a factor that runs over the heads: 8 steps,
// with the unit 64 in dimension 1 of the operand and the unit 1 in dimension 1 of the result. The shards of
// all operands and results end at the same step.
//
// The shards of some factors must know their position. For example, an embedding has a factor over its rows,
// and a shard compares each index with its own rows. Such a factor names the attributes with the position,
// and the pass that splits the op calls set_position.
//
// A dimension that no factor names cannot be split. Examples are the dimension over which a maximum is taken,
// because partial maxima do not add up, and the dimension over which softmax normalizes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/core/attributes.h"
#include "ir/core/types.h"

namespace cutset {

inline constexpr int kAbsent =
    -1;  // the operand or result does not have this factor: each shard has all of it
inline constexpr int kPartial = -2;  // each shard gives a partial sum of the result

struct Factor {
  std::vector<int> operands;  // per operand: the dimension that the factor runs over, or kAbsent
  std::vector<int> results;   // per result: the dimension that the factor runs over, kPartial or kAbsent
  bool window = false;
  std::vector<int64_t> operand_units, result_units;  // the units of a compound factor; empty: all units are 1
  // The names of the i64 attributes of the op with the position of a shard. Null: the results do not depend
  // on the position.
  const char* first_step = nullptr;  // the number of steps before the shard
  const char* all_steps = nullptr;   // the number of steps of all shards; 0: the op is not split

  int64_t operand_unit(size_t i) const { return operand_units.empty() ? 1 : operand_units[i]; }
  int64_t result_unit(size_t r) const { return result_units.empty() ? 1 : result_units[r]; }
  // Returns the first operand that has the factor.
  size_t leading_operand() const {
    return static_cast<size_t>(std::find_if(operands.begin(), operands.end(), [](int d) { return d >= 0; }) -
                               operands.begin());
  }
  bool is_compound() const { return !operand_units.empty(); }
  // Whether the factor can be split between any two elements, and each shard gives a shard of every result.
  bool is_parallel() const { return !window && !is_compound() && !sums(); }
  // Whether the shards give partial sums of a result.
  bool sums() const { return std::find(results.begin(), results.end(), kPartial) != results.end(); }
};

struct ShardingRule {
  std::vector<Factor> factors;

  // Append a factor and return the rule, so that calls can be chained. A dimension of `results` may be
  // kPartial.
  ShardingRule& factor(std::vector<int> operands, std::vector<int> results) {
    factors.push_back({.operands = std::move(operands), .results = std::move(results)});
    return *this;
  }
  // Appends a compound factor, with one unit per operand and per result.
  ShardingRule& compound(std::vector<int> operands, std::vector<int64_t> operand_units,
                         std::vector<int> results, std::vector<int64_t> result_units) {
    factors.push_back(
        {std::move(operands), std::move(results), false, std::move(operand_units), std::move(result_units)});
    return *this;
  }
  // Names the attributes with the position of the shards of the last factor. The names must be string
  // literals.
  ShardingRule& at(const char* first_step, const char* all_steps) {
    factors.back().first_step = first_step;
    factors.back().all_steps = all_steps;
    return *this;
  }
  ShardingRule& window(std::vector<int> operands, std::vector<int> results) {
    factors.push_back({.operands = std::move(operands), .results = std::move(results), .window = true});
    return *this;
  }
};

// Sets the attributes with the position of a shard, if `factor` has any. The shard begins `first` steps after
// the beginning of the op that is split, which has `all` steps. If a shard is split again, the steps before
// it add up, and the number of all steps stays the number of the whole op. `get(name)` returns an attribute
// or 0, and `set(name, value)` sets it.
template <class Get, class Set>
void set_position(const Factor& factor, int64_t first, int64_t all, Get&& get, Set&& set) {
  if (!factor.first_step) return;
  set(factor.first_step, get(factor.first_step) + first);
  if (get(factor.all_steps) == 0) set(factor.all_steps, all);
}
void set_position(const Factor& factor, int64_t first, int64_t all, Attributes& attributes);

// Returns the rule of an elementwise op with `results` results of type `out`: one factor per dimension of
// `out`. If an operand is broadcast along a dimension, the factor is absent from the operand.
ShardingRule elementwise_rule(const Types& in, const TensorType& out, size_t results = 1);

}  // namespace cutset
