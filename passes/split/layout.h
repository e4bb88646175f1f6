// How the values of a function lie over the shards of a batch, found from the ops' sharding rules alone.
#pragma once
#include "ir/dialect/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// kWhole: every replica has all of it. kPartial: each shard has a summand. 0, 1, ...: each shard has its
// rows along that dimension.
using Layout = int;
inline constexpr Layout kWhole = -1, kPartial = -2;

// How one op is split: the layouts it takes its operands in, and those it leaves its results in.
struct OpLayout {
  bool split = false;  // computed once a shard; else once a replica
  int factor = -1;     // of the sharding rule; -1 where `split` is the sum of partial sums
  llvm::SmallVector<Layout> operands, results;
};

// `have` are the layouts the operands come in. The op follows the first operand that has rows: where the
// rule has no factor for them, or a reduction that does not add up, it takes everything whole.
OpLayout layout_of(mlir::Operation* op, llvm::ArrayRef<Layout> have);

// Tells `copy`, the part of a positional op whose rows begin at `row` of the whole tensor, where its elements begin.
void set_first_element(mlir::Operation* copy, int64_t row);

}  // namespace cutset::passes
