// SPDX-License-Identifier: Apache-2.0
// Finds the ops whose results have equal bits in all replicas.
#pragma once
#include "ir/structural/structural.h"

namespace cutset::passes {

// Whether the op sets a variable, or is part of an update (OpInfo::updates, OpInfo::rounds_alike). The copies
// of a variable must stay bitwise equal, so all copies of such an op get operands with the same bits. Its
// kernels round alike on all devices (docs/decisions/0009-updates-round-alike.md), so the results also have
// the same bits.
inline bool keeps_copies_equal(mlir::Operation* op) {
  if (mlir::isa_and_nonnull<ir::AssignOp>(op)) return true;
  auto rules = mlir::dyn_cast_or_null<ir::CutsetOpInterface>(op);
  return rules && (rules.op_info().updates > 0 || rules.op_info().rounds_alike);
}

}  // namespace cutset::passes
