// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/roles/backward_parts.h"

#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/support/placement/rounds.h"

using namespace mlir;

namespace cutset::passes {

DenseSet<Operation*> ops_that_leave_their_stage(func::FuncOp function,
                                                const DenseMap<Operation*, int>& rounds) {
  DenseSet<Operation*> leaving;
  const auto stage = [](Operation* op) {
    return std::pair(cast<ir::PlacedOpInterface>(op).placement().device, stage_of(op));
  };
  for (Operation& op : llvm::reverse(function.getBody().front())) {
    if (!op.hasAttr(kShardClass)) continue;
    const bool leaves = llvm::any_of(op.getUsers(), [&](Operation* user) {
      return user->hasAttr(kShardClass) &&
             (stage(user) != stage(&op) ||
              (leaving.contains(user) && rounds.lookup(user) == rounds.lookup(&op)));
    });
    if (leaves) leaving.insert(&op);
  }
  return leaving;
}

}  // namespace cutset::passes
