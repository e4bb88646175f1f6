// SPDX-License-Identifier: Apache-2.0
// canonicalise: applies the folds and the rewrite patterns of the ops until nothing changes.
//
//   %1 = cutset.neg %x on "cpu:0" id 2
//   %2 = cutset.relu %x on "cpu:0" id 3   ->   %2 = cutset.relu %x on "cpu:0" id 3
//   return %2                                  return %2
//
// A new op gets the placement of the op that it replaces (KeepPlacement). Equal constants are not merged,
// because they may belong to different devices.
#include "ir/dialect/dialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/passes.h"
#include "passes/support/placement/keep_placement.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_CANONICALISE
#include "passes/passes.h.inc"

namespace {

struct Canonicalise : ModulePass<Canonicalise, impl::CanonicaliseBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    RewritePatternSet patterns(module.getContext());
    for (RegisteredOperationName op : module.getContext()->getRegisteredOperations())
      op.getCanonicalizationPatterns(patterns, module.getContext());
    KeepPlacement keep;
    GreedyRewriteConfig config;
    config.enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);  // every function is one block
    config.setListener(&keep);
    return applyPatternsGreedily(module, std::move(patterns), config);
  }
};

}  // namespace

std::unique_ptr<Pass> create_canonicalise(const CompileConfig& config) {
  return std::make_unique<Canonicalise>(config);
}

}  // namespace cutset::passes
