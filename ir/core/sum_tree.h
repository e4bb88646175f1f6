// SPDX-License-Identifier: Apache-2.0
// The fixed binary tree along which partial sums over shards are added.
//
// A node over the shards [first, last) has two children, [first, middle) and [middle, last). The compiler
// builds a replica's own sums along this tree, and the runtime adds the sums of all replicas along it. The
// tree depends only on the numbers of the shards. So the bits of a sum depend neither on the order of arrival
// nor on the assignment of shards to devices.
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

// Returns where the node over [first, last) is divided. If the number of shards is odd, the left child has
// one shard more. `last - first` must be at least 2.
constexpr int64_t middle_of(int64_t first, int64_t last) { return first + (last - first + 1) / 2; }

// Returns the additions that sum partials over the given ranges, in the order of their execution. In each
// pair, the second index names the partial that is added to the partial of the first index. In the end,
// partial 0 has the total. The ranges must be in the order of shards, and each range must be a node of the
// tree over all shards. Fails if the ranges leave a gap or cut across a node.
Result<std::vector<std::pair<size_t, size_t>>> additions_of(const std::vector<ShardRange>& partials);

}  // namespace cutset
