// How a batch is cut into parts.
#pragma once
#include "graph/strategy.h"
#include "llvm/ADT/SmallVector.h"

namespace cutset::passes {

// Which rows each part has, and which replica computes it. A part has rows, unless the batch is empty.
struct Parts {
  int64_t replicas = 1;
  llvm::SmallVector<int64_t> start, rows, replica;
  size_t count() const { return rows.size(); }
};

// By the shares of the strategy; or, where `fixed_parts` is not 0, into so many parts of equal size, of which each
// replica gets its share.
Parts divide(int64_t batch, const Strategy& strategy, int64_t fixed_parts);

}  // namespace cutset::passes
