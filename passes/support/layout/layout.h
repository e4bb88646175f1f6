// SPDX-License-Identifier: Apache-2.0
// Derives from the sharding rules of the ops how the values of a function are divided over the shards of a
// batch.
#pragma once
#include "ir/core/op/sharding_rule.h"
#include "ir/dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// How a value is divided. kWhole: every replica has the whole value. kPartial: each shard has a partial sum.
// 0, 1, ...: each shard has rows along that dimension, in proportion to its samples. Each sample of the batch
// has the same number of consecutive rows, or several consecutive samples, which are all in one shard, share
// a row.
using Layout = int;
inline constexpr Layout kWhole = kAbsent;  // kPartial: as in a sharding rule

// How an op is divided: the layouts in which it needs its operands, and the layouts of its results.
struct OpLayout {
  bool split = false;  // the op is computed once per shard; otherwise once per replica
  int factor = -1;     // index of the factor of the sharding rule; -1: not split, or a sum of partial sums
  llvm::SmallVector<Layout> operands, results;
};

// The size of a batch, and where its shards end: after a multiple of `unit` samples.
struct BatchUnits {
  int64_t samples = 0, unit = 1;
};

// Returns the layout of `op`, given the layouts `have` of its operands. The first operand that has rows of
// the batch, and for which the sharding rule has a factor that can be split, decides. Operands that are read
// only for their types are considered last. If no operand decides, the op is computed whole. A batch of one
// sample is one shard, and the shard of a value along any dimension is the whole value. If no operand of an
// op decides, the op is then computed for this shard, unless a result is a scalar.
OpLayout layout_of(mlir::Operation* op, llvm::ArrayRef<Layout> have, const BatchUnits& batch);

// Whether each shard of the batch ends at the end of a step of the factor, so that the batch can be split
// along the factor. A step of a factor that is not compound is one row.
bool ends_with_shards(mlir::Operation* op, const Factor& factor, const BatchUnits& batch);

// Sets the size of the dimension `result` in the attribute `shape` of `copy`, a shard or a piece of an op
// whose result has that shape. Elements 0 and -1 of the attribute stay, because they follow from the operand.
void set_shape(mlir::Operation* copy, Layout result, int64_t size);

// Sets the attributes of `copy`, a piece of an op along `factor`, which say that it begins at step `first` of
// `all` steps.
void set_position(mlir::Operation* copy, const Factor& factor, int64_t first, int64_t all);

// Whether the op is a slice that reads other rows for each micro-batch: `split` has set its attribute
// `rows_per_sample`.
bool reads_rows_of_samples(mlir::Operation* op);

// Sets the attribute `first_element` of `copy`, a shard of a positional op, before its types are computed
// again. Its rows begin at `row` of the whole tensor.
void set_first_element(mlir::Operation* copy, int64_t row);

}  // namespace cutset::passes
