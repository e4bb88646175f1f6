// SPDX-License-Identifier: Apache-2.0
// The rows of an input or an output that an argument or a result of a function holds.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/support/placement/rounds.h"

namespace cutset::passes {

class PortRows {
 public:
  // `attributes`: the attributes of the argument or of the result; null: it is the whole input or output.
  // `samples`: the size of the batch.
  PortRows(mlir::DictionaryAttr attributes, int64_t samples);

  // Return the dimension along which the argument or the result is a shard, and the first row of this shard.
  int64_t dimension() const { return dimension_; }
  int64_t start() const { return start_; }
  // Returns the first row of the micro-batch `m`, which has the same class.
  int64_t start_of(const MicroBatch& m) const { return m.start / samples_per_part_ * rows_per_part_; }

 private:
  int64_t dimension_ = 0, start_ = 0;
  int64_t samples_per_part_ = 1,
          rows_per_part_ = 0;  // samples_per_part_: the fewest samples whose number of rows is whole
};

// Returns the size of the batch of a function; 0: `split` has not divided it.
int64_t samples_of(mlir::func::FuncOp function);

}  // namespace cutset::passes
