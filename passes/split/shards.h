// SPDX-License-Identifier: Apache-2.0
// Divides a batch into shards.
#pragma once
#include <cstdint>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "passes/support/layout/layout.h"

namespace cutset::passes {

// Consecutive rows of a value along one dimension.
struct Rows {
  int64_t start = 0, size = 0;
};

// The samples of each shard, and the replica that computes it. The shards of a replica are consecutive. Every
// shard has at least one sample, except that an empty batch has one shard without samples.
struct Shards {
  int64_t replicas = 1;
  llvm::SmallVector<int64_t> start, samples, replica;  // per shard: first sample, number of samples, replica
  // The classes of shards. One copy of an op computes all shards of a class, one after the other. Without
  // micro-batches, every shard is a separate class. The shards of a class belong to one replica and have the
  // same number of samples.
  llvm::SmallVector<int64_t> class_of;  // per shard: its class
  llvm::SmallVector<size_t> first_of;   // per class: its first shard
  BatchUnits units;  // the batch, with the largest unit that divides the number of samples of every shard
  bool micro_batches = false;
  bool along_tree =
      false;  // partial sums are added along the fixed tree over all shards, for every number of replicas
  // Returns one past the last shard of the replica whose first shard is `first`.
  size_t end_of_replica(size_t first) const;
  size_t count() const { return samples.size(); }
  int64_t batch() const { return start.back() + samples.back(); }
  // Returns the rows of a shard along a dimension of `size` rows, which belong to the samples in equal parts.
  Rows rows(size_t shard, int64_t size) const;
  size_t classes() const { return first_of.size(); }
};

// Divides `batch` samples in proportion to the shares of the replicas. If `fixed_shards` is not 0, the batch
// is divided into that number of shards, whose sizes differ by at most one sample, and each replica gets its
// share of the shards. If `micro_batches` is more than 1, the shards are micro-batches. If `fixed_shards` is
// 0, each replica that has enough samples then has `micro_batches` of them.
Shards divide(int64_t batch, const std::vector<double>& shares, int64_t fixed_shards,
              int64_t micro_batches = 1);

}  // namespace cutset::passes
