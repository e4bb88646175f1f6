// SPDX-License-Identifier: Apache-2.0
// Estimates the times of ops and of collectives for a group of devices of a tensor axis.
#pragma once
#include "mlir/IR/Operation.h"
#include "passes/passes.h"
#include "passes/support/layout/layout.h"

namespace cutset::passes {

// Estimates the time of a collective over `bytes` bytes of a whole value, in seconds. A piece of a whole
// value is copied without a transfer. A group of n devices sends and receives (n - 1) / n of the bytes per
// device in an all_gather and in a reduce_scatter, twice as many in an all_reduce, and one n-th of them in an
// all_to_all.
class CollectiveCosts {
 public:
  explicit CollectiveCosts(const CompileConfig& config);
  // Returns the time in seconds to convert a value from the layout `from` to the layout `to`.
  double seconds(Layout from, Layout to, double bytes) const;

 private:
  const DeviceList& devices_;
  double count_;
};

// Returns the largest estimated time of an op on the devices, in seconds.
double seconds_of(mlir::Operation* op, const CompileConfig& config);

}  // namespace cutset::passes
