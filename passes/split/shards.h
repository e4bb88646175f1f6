// Divides a batch into shards.
#pragma once
#include <cstdint>
#include <vector>

#include "llvm/ADT/SmallVector.h"

namespace cutset::passes {

// The rows of each shard, and the replica that computes it. The shards of a replica are consecutive. Every shard has at
// least one row, except that an empty batch has one shard without rows.
struct Shards {
  int64_t replicas = 1;
  llvm::SmallVector<int64_t> start, rows, replica;  // per shard: first row, number of rows, replica
  size_t count() const { return rows.size(); }
};

// Divides `batch` rows in proportion to the shares of the replicas. If `fixed_shards` is not 0, the batch is divided
// into that number of shards, whose sizes differ by at most one row, and each replica gets its share of the shards.
Shards divide(int64_t batch, const std::vector<double>& shares, int64_t fixed_shards);

}  // namespace cutset::passes
