// SPDX-License-Identifier: Apache-2.0
#include "passes/split/shards.h"

#include <numeric>

#include "graph/partition/apportion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace cutset::passes {

Shards divide(int64_t batch, const std::vector<double>& shares, int64_t fixed_shards, int64_t micro_batches) {
  Shards shards;
  shards.replicas = static_cast<int64_t>(shares.size());
  auto add = [&](int64_t samples, int64_t replica) {
    const int64_t start = shards.count() ? shards.batch() : 0;
    if (samples > 0) {
      shards.start.push_back(start);
      shards.samples.push_back(samples);
      shards.replica.push_back(replica);
    }
  };
  shards.micro_batches = micro_batches > 1;
  shards.along_tree = fixed_shards > 0;
  if (fixed_shards > 0) {
    const auto sizes = apportion(batch, std::vector<double>(static_cast<size_t>(fixed_shards), 1.0));
    const auto of_replica = apportion(llvm::count_if(sizes, [](int64_t n) { return n > 0; }), shares);
    size_t next = 0;
    for (size_t r = 0; r < of_replica.size(); ++r)
      for (int64_t i = 0; i < of_replica[r]; ++i) add(sizes[next++], static_cast<int64_t>(r));
  } else {
    const auto sizes = apportion(batch, shares);
    for (size_t r = 0; r < sizes.size(); ++r)
      for (int64_t samples :
           apportion(sizes[r], std::vector<double>(static_cast<size_t>(micro_batches), 1.0)))
        add(samples, static_cast<int64_t>(r));
  }
  if (!shards.count()) {
    shards.start = {0};
    shards.samples = {0};
    shards.replica = {0};
  }
  int64_t unit = 0;
  for (const int64_t samples : shards.samples) unit = std::gcd(unit, samples);
  shards.units = {.samples = batch, .unit = std::max<int64_t>(unit, 1)};
  llvm::SmallDenseMap<std::pair<int64_t, int64_t>, int64_t>
      class_of_samples;  // by replica and number of samples
  for (size_t s = 0; s < shards.count(); ++s) {
    const auto fresh = static_cast<int64_t>(shards.classes());
    const int64_t its =
        shards.micro_batches
            ? class_of_samples.try_emplace({shards.replica[s], shards.samples[s]}, fresh).first->second
            : fresh;
    if (its == fresh) shards.first_of.push_back(s);
    shards.class_of.push_back(its);
  }
  return shards;
}

Rows Shards::rows(size_t shard, int64_t size) const {
  if (batch() == 0) return {};
  const int64_t common = std::gcd(size, batch()), samples_per_part = batch() / common,
                rows_per_part = size / common;
  return {start[shard] / samples_per_part * rows_per_part, samples[shard] / samples_per_part * rows_per_part};
}

size_t Shards::end_of_replica(size_t first) const {
  return first + static_cast<size_t>(llvm::count(replica, replica[first]));
}

}  // namespace cutset::passes
