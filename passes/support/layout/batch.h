// SPDX-License-Identifier: Apache-2.0
// Says which dimension of each input is the batch, and how many samples the batch has.
//
// The batch dimension of an input is its first dimension, another dimension, or none (kBatchDimension). It
// has one row per sample, or the same number of consecutive rows for each sample (kSeveralRows), as labels
// [B*S] beside tokens [B, S]. The number of rows per sample is not stated, because it may change with the
// shapes of the inputs. It is the size of the dimension divided by the size of the batch. The inputs with one
// row per sample give the size of the batch. If a function has no such input, each row is a sample.
#pragma once
#include <optional>
#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/support/layout/layout.h"

namespace cutset::passes {

struct Batch {
  int64_t samples = 0;
  llvm::SmallVector<Layout> layouts;  // per argument: the dimension that is the batch, or kWhole
  // The first argument that does not fit, and the reason: it does not have the batch dimension, or it has
  // another number of samples.
  struct Conflict {
    unsigned argument = 0;
    std::string why;
  };
  std::optional<Conflict> conflict;
};

Batch batch_of(mlir::func::FuncOp function);

}  // namespace cutset::passes
