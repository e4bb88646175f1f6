// SPDX-License-Identifier: Apache-2.0
// cse: merges identical ops that are placed on the same device.
//
//   %0 = cutset.relu %x on "cpu:0" id 1           %0 = cutset.relu %x on "cpu:0" id 1
//   %1 = cutset.relu %x on "cpu:0" id 2      ->   %2 = cutset.relu %x on "sim:0" id 3
//   %2 = cutset.relu %x on "sim:0" id 3           return %0, %0, %2
//   return %0, %1, %2
//
// The id of the first op survives. If the user pinned a merged op, the remaining op is also pinned.
#include "mlir/Transforms/CSE.h"

#include "mlir/IR/Dominance.h"
#include "passes/passes.h"
#include "passes/support/placement/keep_placement.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_CSE
#include "passes/passes.h.inc"

namespace {

struct Cse : ModulePass<Cse, impl::CseBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    KeepPlacement keep;
    IRRewriter rewriter(module.getContext(), &keep);
    DominanceInfo dominance(module);
    eliminateCommonSubExpressions(rewriter, dominance, module);
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> create_cse(const CompileConfig& config) { return std::make_unique<Cse>(config); }

}  // namespace cutset::passes
