// canonicalise: the ops' own folds and patterns, to a fixpoint, placements kept.
//
//   %1 = cutset.neg %x on "cpu:0" id 2
//   %2 = cutset.relu %x on "cpu:0" id 3   ->   %2 = cutset.relu %x on "cpu:0" id 3
//   return %2                                  return %2
//
// Constants of different devices must not merge, so constant CSE is off.
#include "ir/dialect/dialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/passes.h"
#include "passes/support/keep_placement.h"

using namespace mlir;

namespace cutset::passes {
namespace {

struct Canonicalise : ModulePass<Canonicalise> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Canonicalise)
  static constexpr const char* kFlag = "canonicalise";
  static constexpr const char* kSummary = "Fold and simplify, keeping placements";

  LogicalResult run(ModuleOp module) {
    RewritePatternSet patterns(module.getContext());
    for (RegisteredOperationName op : module.getContext()->getRegisteredOperations())
      op.getCanonicalizationPatterns(patterns, module.getContext());
    KeepPlacement keep;
    GreedyRewriteConfig config;
    config.enableConstantCSE(false);
    config.setListener(&keep);
    return applyPatternsGreedily(module, std::move(patterns), config);
  }
};

}  // namespace

std::unique_ptr<Pass> createCanonicalise() { return std::make_unique<Canonicalise>(); }

}  // namespace cutset::passes
