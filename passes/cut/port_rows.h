// Which rows of an input or an output of a function an argument or a result of the function is.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/cut/phases.h"

namespace cutset::passes {

class PortRows {
 public:
  // `attributes` are those of the argument or of the result; null: it is the whole input or output. `samples` is the size
  // of the batch.
  PortRows(mlir::DictionaryAttr attributes, int64_t samples);

  // The dimension along which it is a shard, and its first row.
  int64_t dimension() const { return dimension_; }
  int64_t start() const { return start_; }
  // The first row of another micro-batch of its class.
  int64_t start_of(const MicroBatch& m) const { return m.start * rows_per_sample_; }

 private:
  int64_t dimension_ = 0, start_ = 0, rows_per_sample_ = 0;
};

// The size of the batch of a function; 0: `split` has not divided it.
int64_t samples_of(mlir::func::FuncOp function);

}  // namespace cutset::passes
