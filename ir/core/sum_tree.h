// SPDX-License-Identifier: Apache-2.0
// The fixed binary tree along which partial sums over shards are added.
//
// A node over the shards [first, last) has two children, [first, middle) and [middle, last). The compiler
// builds a replica's own sums along this tree, and the runtime adds the sums of all replicas along it. Since
// the tree depends on the numbers of the shards alone, the bits of a sum depend neither on the order of
// arrival nor on which device held which shards.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// The shards [first, last) of a batch.
struct ShardRange {
  int64_t first = 0, last = 0;
};

// Where the node over [first, last) is divided. The left child has one shard more where their number is odd.
// `last - first` must be at least 2.
constexpr int64_t middle_of(int64_t first, int64_t last) { return first + (last - first + 1) / 2; }

// The additions that sum partials over the given ranges, in the order in which they are carried out. In each
// pair, the first index names the partial that is increased and the second index the one that is added to it.
// The total ends up in partial 0. The ranges must be in the order of shards, and each must be a node of the
// tree over all of them; the result is an error where they leave a gap or cut across a node.
Result<std::vector<std::pair<size_t, size_t>>> additions_of(const std::vector<ShardRange>& partials);

}  // namespace cutset
